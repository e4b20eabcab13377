// What a command that takes its time has around it: messages that never make it
// wait, a live line, and signals that end it.

package main

// attend runs work with messages that go through a relay and with signals that stop
// it. news is what the first signal has started, for the user. Work says through m
// what there is to say, and draws on scr.
func attend(env *environ, m messenger, news string, work func(m messenger, scr *screen, stop *stopper) error) (err error) {
	messages := newRelay(m.w)
	scr := &screen{w: messages}
	m.w = scr
	signals, release := env.signals()
	done := make(chan struct{})
	stop := newStopper(signals, done, m, news, env.exit)
	defer func() {
		if !stop.settled(messages.close()) {
			err = &exitError{code: stop.code()} // nobody would hear more
		}
		release()
		close(done)
	}()
	return work(m, scr, stop)
}
