import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { FullResult, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter'

const root = resolve(import.meta.dirname, '../../..')

interface Failure {
  name: string
  place: string
  text: string
}

function failureOf(name: string, place: string, errors: TestError[]): Failure {
  const at = errors.find(({ location }) => location)?.location
  return {
    name,
    place: at ? `${relative(root, at.file)}:${at.line}` : place,
    text: errors.map(({ message, value }) => message ?? value ?? '').join('\n'),
  }
}

/** Writes what passed, failed and was flaky into `REPORT`, in the shape that `scripts/gate/results.py` describes. */
export default class PlaywrightReport implements Reporter {
  private all: TestCase[] = []
  private readonly outside: Failure[] = []

  onBegin(_: unknown, suite: Suite) {
    this.all = suite.allTests()
  }

  onError(error: TestError) {
    this.outside.push(failureOf('outside of every test', '', [error]))
  }

  onEnd(_: FullResult) {
    const { REPORT: report } = process.env
    if (!report) return
    // The first entries are the project and the empty root.
    const name = (test: TestCase) => test.titlePath().filter(Boolean).join(' > ')
    const of = (outcome: string) => this.all.filter((test) => test.outcome() === outcome)
    const failed = of('unexpected').map((test) => {
      const place = `${relative(root, test.location.file)}:${test.location.line}`
      return failureOf(name(test), place, test.results.at(-1)?.errors ?? [])
    })
    const flaky = of('flaky')
    const passed = of('expected').length + flaky.length
    writeFileSync(report, JSON.stringify({ passed, failed: [...this.outside, ...failed], flaky: flaky.map(name) }))
  }

  printsToStdio() {
    return false
  }
}
