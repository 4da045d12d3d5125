# Names only: what each one does is in scripts/.

.PHONY: help run test check build dev gen bench faults times
help:            ## this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 10

run:             ## start the console with demo data (PORT=8080 DATA=data/demo)
	@scripts/run.sh

test:            ## every test; some of them with SUITES="cargo contract"
	@scripts/test.sh $(SUITES)

check:           ## format, lint, types, house rules, generated files
	@scripts/check.sh

build:           ## the release binary with the web console inside: target/release/skyrack
	@scripts/build.sh

dev:             ## server and Vite, both reloading
	@scripts/dev.sh

gen:             ## the OpenAPI document and the types of the web client
	@scripts/gen.sh

faults:          ## every cell of the fault matrix; `make test` takes a sample
	@FAULTS=whole scripts/test.sh faults

times:           ## how long a build takes after a change (ALL=1: the release binary from cold, too)
	@scripts/times.sh

bench:           ## the benchmarks, on a release build (ARGS="--rows 100000")
	@scripts/bench.sh $(ARGS)
