import type { Sent } from './address'

/** What tells one request from another: everything that its answer may depend on. */
export interface EarlyRequest extends Sent {
  language: string
  token: string
}

/** Answers that the script in the page began to fetch before the modules were there (`app/first-load/early.ts`). */
export interface EarlyAnswers {
  answers: Map<string, Promise<Response>>
  /** After this moment of `performance.now()` they are too old to be taken for fresh. */
  until: number
}

declare global {
  interface Window {
    skyrackEarly?: EarlyAnswers
  }
}

/** The key of a request. */
export const earlyKey = ({ method, address, language, token, body }: EarlyRequest): string =>
  [method, address, language, token, body].join(' ')

/** The answer that is already under way to such a request, once. One that never came is asked for again. */
export function takeEarlyAnswer(request: EarlyRequest, again: () => Promise<Response>): Promise<Response> | undefined {
  const early = window.skyrackEarly
  if (!early || performance.now() > early.until) return undefined
  const key = earlyKey(request)
  const answer = early.answers.get(key)
  early.answers.delete(key)
  return answer?.catch(again)
}
