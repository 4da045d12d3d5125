import type { DataOf } from '@/api/call'
import { isReadable, passes, reasonOf, UnreadableFile } from './failures'
import { pause, watched } from './line'
import { speedometer } from './speed'

/** An upload in pieces, as the server has it. */
export type Begun = DataOf<'operationUploadState'>

/** Who takes a file in pieces. */
export interface PieceTaker<T> {
  /** Announces the file, or finds the upload that was begun with it. */
  begin: (file: File, signal: AbortSignal) => Promise<Begun>
  state: (id: string, signal: AbortSignal) => Promise<Begun>
  append: (begun: Begun, piece: Blob, hooks: PieceHooks) => Promise<Begun>
  finish: (id: string, signal: AbortSignal) => Promise<T>
}

interface PieceHooks {
  signal: AbortSignal
  /** Hears how much of the piece has been sent, from 0 to 1. */
  onProgress: (fraction: number) => void
}

/** What became of a file so far. */
export type Stage =
  | { is: 'sending'; sent: number; perSecond?: number | undefined }
  /** The line broke; it goes on by itself. */
  | { is: 'waiting'; sent: number; why: string }
  /** All has been sent. */
  | { is: 'checking' }

export interface Hooks {
  onStage: (stage: Stage) => void
  /** Pauses it. */
  signal: AbortSignal
}

const MB = 1024 * 1024
/** A piece takes a good line a second or so. On a bad one smaller pieces are tried. */
const smallest = MB / 4
const largest = 8 * MB
/** So often in a row nothing may come of it, half a minute apart in the end. */
const most = 20

/** Sends a file piece by piece and goes on after whatever passes; a file that was begun before, from where it was. */
export async function sendInPieces<T>(taker: PieceTaker<T>, file: File, hooks: Hooks): Promise<T> {
  const { onStage, signal } = hooks
  const append = appender(taker, file, hooks)
  let known: Begun | undefined
  let size = largest / 2
  for (let tries = 0; ; ) {
    signal.throwIfAborted()
    try {
      if (!known) {
        known = await taker.begin(file, signal)
      } else if (known.offset < file.size) {
        known = await append(known, size)
        size = Math.min(size * 2, largest)
      } else {
        onStage({ is: 'checking' })
        return await taker.finish(known.id, signal)
      }
      tries = 0
    } catch (error) {
      tries += 1
      if (signal.aborted || tries > most || !passes(error, known !== undefined)) throw error
      const had = known?.offset ?? 0
      if (!(await isReadable(file, had))) throw new UnreadableFile()
      size = Math.max(size / 2, smallest)
      onStage({ is: 'waiting', sent: had, why: reasonOf(error) })
      await pause(tries, signal)
      if (!known) continue
      // Part of the piece may have come. If this fails as well, the next piece is refused, and it is asked again.
      known = await taker.state(known.id, signal).catch(() => known)
      if (known && known.offset > had) tries = 0
    }
  }
}

/** Sends the next piece, of so many bytes at most. */
function appender<T>(taker: PieceTaker<T>, file: File, { onStage, signal }: Hooks) {
  const speed = speedometer()
  const tell = (sent: number) => onStage({ is: 'sending', sent, perSecond: speed(sent, performance.now()) })
  return async (begun: Begun, size: number): Promise<Begun> => {
    const { offset, pieceLimit } = begun
    tell(offset)
    const piece = file.slice(offset, offset + Math.min(size, pieceLimit))
    const watch = watched(signal)
    const onProgress = (fraction: number) => {
      watch.heard()
      tell(offset + Math.round(fraction * piece.size))
    }
    try {
      return await taker.append(begun, piece, { signal: watch.signal, onProgress })
    } finally {
      watch.end()
    }
  }
}
