module ferryctl/bench/floors

go 1.26.0

require (
	cloud.google.com/go/pubsub/publishscheduler v0.0.0
	ferryctl v0.0.0
	github.com/graph-gophers/dataloader/v7 v7.1.0
	gocloud.dev v0.49.0
	google.golang.org/api v0.315.0
)

require (
	cloud.google.com/go/pubsub v1.52.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
)

replace ferryctl => ../..

replace cloud.google.com/go/pubsub/publishscheduler => ./publishscheduler
