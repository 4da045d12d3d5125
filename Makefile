# Names only: what each one does is in scripts/.

.PHONY: help run test quick check build dev gen bench faults hostile mutants times clean-cache
help:            ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 10

run:             ## start the console with demo data (PORT=8080 DATA=data/demo)
	@scripts/run.sh

test:            ## every check and every test; some of them with SUITES="cargo contract"
	@scripts/test.sh $(SUITES)

quick:           ## what the change since a commit reaches, in two minutes (SINCE=HEAD~3; as it is: not yet committed)
	@scripts/quick.sh

check:           ## format, rules, lint, types, generated files, clippy: no tests
	@scripts/test.sh check

build:           ## the release binary with the web console inside: target/release/skyrack
	@scripts/build.sh

dev:             ## server and Vite, both reloading
	@scripts/dev.sh

gen:             ## the OpenAPI document and the types of the web client
	@scripts/gen.sh

faults:          ## every cell of the fault matrix; `make test` takes a sample
	@FAULTS=whole scripts/test.sh faults

hostile:         ## every hostile file, by one sender and by fifty at once; `make test` takes a sample
	@HOSTILE=whole scripts/test.sh hostile

mutants:         ## tests of what guards phones fail where the guard is taken out
	@scripts/mutants.sh $(ARGS)

times:           ## how long a build takes after a change (ALL=1: the release binary from cold, too)
	@scripts/times.sh

bench:           ## the benchmarks, on a release build (ARGS="--rows 100000")
	@scripts/bench.sh $(ARGS)

clean-cache:     ## what was built and downloaded for .ci/run goes (SKYRACK_CACHE=~/.cache/skyrack)
	@scripts/cached.sh --clean
