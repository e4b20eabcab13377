module cloud.google.com/go/pubsub/publishscheduler

go 1.26.0

require cloud.google.com/go/pubsub v1.52.0

require (
	golang.org/x/sync v0.24.0 // indirect
	google.golang.org/api v0.304.0 // indirect
)
