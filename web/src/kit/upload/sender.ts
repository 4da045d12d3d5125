import { addressOf } from '@/api/address'
import { call, type DataOf, type OperationId } from '@/api/call'
import { operations } from '@/api/operations'
import { upload } from '@/api/upload'
import { type Begun, type Hooks, type PieceTaker, sendInPieces } from './in-pieces'

/** The uploads in pieces that the server has: the first part of their calls' names. */
export type PieceCalls = OperationId extends infer K ? (K extends `${infer Of}Piece` ? Of : never) : never

/** How a file gets to the server, and what the server makes of it. */
export interface FileSender<T> {
  /** What its unfinished uploads are kept by. */
  key: readonly unknown[]
  send: (file: File, hooks: Hooks) => Promise<T>
  unfinished: () => Promise<readonly Begun[]>
  giveUp: (id: string) => Promise<unknown>
}

const quiet = { suppressNotice: true }

/** Sends files through the calls of this beginning. */
export function fileSender<P extends PieceCalls>(calls: P): FileSender<DataOf<Extract<OperationId, `${P}Finish`>>> {
  type Made = DataOf<Extract<OperationId, `${P}Finish`>>
  const of: PieceCalls = calls
  const mine = `${of}Mine` as const
  const taker = pieceTaker(of) as PieceTaker<Made>
  return {
    key: [mine],
    send: (file, hooks) => sendInPieces(taker, file, hooks),
    unfinished: () => call(mine, {}, quiet),
    giveUp: (id) => call(`${of}GiveUp`, { path: { id } }, quiet),
  }
}

function pieceTaker(of: PieceCalls): PieceTaker<unknown> {
  const address = (id: string) => addressOf(operations[`${of}Piece`].path, { path: { id } })
  return {
    begin: (file, signal) => {
      const modifiedAt = new Date(file.lastModified).toISOString()
      return call(`${of}Begin`, { body: { fileName: file.name, size: file.size, modifiedAt } }, { ...quiet, signal })
    },
    state: (id, signal) => call(`${of}State`, { path: { id } }, { ...quiet, signal }),
    append: async ({ id, offset }, piece, hooks) => {
      const headers = { 'Content-Type': 'application/partial-upload', 'Upload-Offset': String(offset) }
      const answer = await upload(address(id), piece, { method: 'PATCH', headers, ...quiet, ...hooks })
      return answer.data as Begun
    },
    finish: (id, signal) => call(`${of}Finish`, { path: { id }, body: {} }, { ...quiet, signal }),
  }
}
