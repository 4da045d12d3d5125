import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const root = resolve(import.meta.dirname, '../..')

interface Failure {
  name: string
  place: string
  text: string
}

interface Wrong {
  message?: string
  stack?: string
  stacks?: readonly { file: string; line: number }[]
}

/** Where a test tripped: the first line of the way to the error that is ours. */
function failureOf(name: string, file: string, errors: readonly Wrong[]): Failure {
  const own = errors.flatMap(({ stacks }) => stacks ?? []).find((frame) => !frame.file.includes('node_modules'))
  const place = own ? `${relative(root, own.file)}:${own.line}` : relative(root, file)
  return { name, place, text: errors.map(({ message, stack }) => message ?? stack ?? '').join('\n') }
}

/** Writes what passed, failed and was flaky into `REPORT`, in the shape that `scripts/gate/results.py` describes. */
export default class VitestReport implements Reporter {
  private passed = 0
  private readonly failed: Failure[] = []
  private readonly flaky: string[] = []

  onTestCaseResult(test: TestCase) {
    const { state, errors = [] } = test.result()
    const name = `${relative(root, test.module.moduleId)} > ${test.fullName}`
    if (state === 'failed') this.failed.push(failureOf(name, test.module.moduleId, errors))
    if (state !== 'passed') return
    this.passed += 1
    if (test.diagnostic()?.flaky) this.flaky.push(name)
  }

  onTestModuleEnd(module: TestModule) {
    // A file that could not be read has errors and no tests.
    const errors = module.errors()
    if (errors.length > 0) this.failed.push(failureOf(relative(root, module.moduleId), module.moduleId, errors))
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly Wrong[]) {
    if (unhandled.length > 0) this.failed.push(failureOf('an error outside of every test', '', unhandled))
    const { REPORT: report } = process.env
    if (report) writeFileSync(report, JSON.stringify({ passed: this.passed, failed: this.failed, flaky: this.flaky }))
  }
}
