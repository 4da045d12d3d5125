import type { Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter'
import { type Failure, placeOf, tell } from '../../tools/told'

/** What one try of a test came to; `place` is where no error says it better. */
function failureOf(name: string, place: string, errors: readonly TestError[] = []): Failure {
  const at = errors.find(({ location }) => location)?.location
  const text = errors.map(({ message, value }) => message ?? value ?? '').join('\n')
  return { name, place: at ? placeOf(at) : place, text }
}

/** Tells the gate what passed, failed and was flaky. */
export default class PlaywrightReport implements Reporter {
  private all: TestCase[] = []
  private readonly outside: Failure[] = []

  onBegin(_: unknown, suite: Suite) {
    this.all = suite.allTests()
  }

  onError(error: TestError) {
    this.outside.push(failureOf('outside of every test', '', [error]))
  }

  onEnd() {
    const of = (outcome: string) => this.all.filter((test) => test.outcome() === outcome)
    const failure = (test: TestCase, attempt: number) =>
      // The first entries of the path are the project and the empty root.
      failureOf(test.titlePath().filter(Boolean).join(' > '), placeOf(test.location), test.results.at(attempt)?.errors)
    const failed = [...this.outside, ...of('unexpected').map((test) => failure(test, -1))]
    const flaky = of('flaky').map((test) => failure(test, 0))
    tell({ passed: of('expected').length + flaky.length, failed, flaky })
  }

  printsToStdio() {
    return false
  }
}
