import { isApiFailure } from '@/api/failure'
import { sentenceOf } from '@/api/sentence'
import { textsOf } from '@/i18n/messages'
import { transferMessages } from './transfer-messages'

/** The file on this side cannot be read any more. */
export class UnreadableFile extends Error {}

/** Whether the same may work a moment later. Until an upload is begun, a conflict is a limit: it stays. */
export function passes(error: unknown, begun: boolean): boolean {
  // Nobody answered, or nothing was heard for too long.
  if (!isApiFailure(error)) return error instanceof TypeError || error instanceof DOMException
  const { httpStatus } = error
  return [408, 429].includes(httpStatus) || httpStatus >= 500 || (httpStatus === 409 && begun)
}

/** Whether the server refuses the file itself. */
export const isRefused = (error: unknown): boolean => isApiFailure(error) && [400, 413, 415].includes(error.httpStatus)

/** Whether nothing is left to go on with: the file, here or there, is gone or refused. */
export const isOver = (error: unknown): boolean =>
  isRefused(error) || error instanceof UnreadableFile || (isApiFailure(error) && error.httpStatus === 404)

/** Why an upload stands still, in words. */
export function reasonOf(error: unknown): string {
  const m = textsOf(transferMessages)
  if (error instanceof UnreadableFile) return m.unreadable
  return isApiFailure(error) ? sentenceOf(error) : m.lost
}

/** A file that was changed or moved since it was chosen breaks a request as a lost line does. */
export const isReadable = (file: File, at: number): Promise<boolean> =>
  file
    .slice(at, at + 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
