import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A test that did not pass, where, and why. */
export interface Failure {
  name: string
  place: string
  text: string
}

/** What a suite came to, in the shape that `scripts/gate/results.py` describes. */
export interface Told {
  passed: number
  failed: Failure[]
  /** Those that passed after another try, with the errors of the first. */
  flaky: Failure[]
}

/** A file as the repository calls it. */
export const inRepository = (file: string): string => relative(root, file)

/** A place in the shape that editors open. */
export const placeOf = ({ file, line }: { file: string; line: number }): string => `${inRepository(file)}:${line}`

/** Writes it where the gate asked for it; a run by hand asks for nothing. */
export function tell(told: Told): void {
  const { REPORT: report } = process.env
  if (report) writeFileSync(report, JSON.stringify(told))
}
