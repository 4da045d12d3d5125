import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { type Failure, inRepository, placeOf, tell } from './told'

interface Wrong {
  message?: string
  stack?: string
  stacks?: readonly { file: string; line: number }[]
}

/** Where a test tripped: the first line of the way to the error that is ours. */
function failureOf(name: string, file: string, errors: readonly Wrong[]): Failure {
  const own = errors.flatMap(({ stacks }) => stacks ?? []).find((frame) => !frame.file.includes('node_modules'))
  const text = errors.map(({ message, stack }) => message ?? stack ?? '').join('\n')
  return { name, place: own ? placeOf(own) : inRepository(file), text }
}

/** Tells the gate what passed, failed and was flaky. */
export default class VitestReport implements Reporter {
  private passed = 0
  private readonly failed: Failure[] = []
  private readonly flaky: Failure[] = []

  onTestCaseResult(test: TestCase) {
    const { state, errors = [] } = test.result()
    const failure = failureOf(`${inRepository(test.module.moduleId)} > ${test.fullName}`, test.module.moduleId, errors)
    if (state === 'failed') this.failed.push(failure)
    if (state !== 'passed') return
    this.passed += 1
    if (test.diagnostic()?.flaky) this.flaky.push(failure)
  }

  onTestModuleEnd(module: TestModule) {
    // A file that could not be read has errors and no tests.
    const errors = module.errors()
    if (errors.length > 0) this.failed.push(failureOf(inRepository(module.moduleId), module.moduleId, errors))
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly Wrong[]) {
    if (unhandled.length > 0) this.failed.push(failureOf('an error outside of every test', '', unhandled))
    tell({ passed: this.passed, failed: this.failed, flaky: this.flaky })
  }
}
