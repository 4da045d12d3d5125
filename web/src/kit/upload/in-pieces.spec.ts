import { beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { setLanguage } from '@/i18n/language'
import { UnreadableFile } from './failures'
import { type Begun, type PieceTaker, type Stage, sendInPieces } from './in-pieces'

beforeEach(() => setLanguage('zh'))

const MB = 1024 * 1024
const lost = () => new TypeError('Failed to fetch')
const refusal = (httpStatus: number, msg = 'x') => new ApiFailure({ status: httpStatus * 10, httpStatus, msg })
const fileOf = (size: number) => new File([new Uint8Array(size)], 'a.bin', { lastModified: 1_000 })

/** A server that keeps how much has come, and what was asked of it. */
class Taker implements PieceTaker<string> {
  readonly asked: string[] = []
  begun: Begun = { id: 'u1', fileName: 'a.bin', size: 0, modifiedAt: '', offset: 0, pieceLimit: 16 * MB, expiresAt: '' }
  /** What happens to the next calls, instead of what is usual: they fail, and of a piece so much comes. */
  faults: { at: RegExp; error: unknown; comes?: number }[] = []

  private async answer<T>(what: string, usual: () => T): Promise<T> {
    this.asked.push(what)
    const at = this.faults.findIndex((fault) => fault.at.test(what))
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1)
    if (!fault) return usual()
    this.become({ offset: this.begun.offset + (fault.comes ?? 0) })
    throw fault.error
  }

  become(change: Partial<Begun>): Begun {
    this.begun = { ...this.begun, ...change }
    return this.begun
  }

  begin = (file: File) => this.answer('begin', () => this.become({ size: file.size }))
  state = () => this.answer('state', () => this.begun)
  append: PieceTaker<string>['append'] = ({ offset }, piece, { onProgress }) =>
    this.answer(`${offset / MB}+${piece.size / MB}`, () => {
      if (offset !== this.begun.offset) throw refusal(409)
      onProgress(0.5)
      return this.become({ offset: offset + piece.size })
    })
  finish = () => this.answer('finish', () => 'made of it')
}

/** Sends a file; whoever waits hears at once that the line is back. */
function send(taker: Taker, file: File, onStage: (stage: Stage, control: AbortController) => void = () => undefined) {
  const control = new AbortController()
  const stages: Stage[] = []
  const sent = sendInPieces(taker, file, {
    signal: control.signal,
    onStage: (stage) => {
      stages.push(stage)
      if (stage.is === 'waiting') setTimeout(() => window.dispatchEvent(new Event('online')))
      onStage(stage, control)
    },
  })
  return { sent, stages }
}

it('sends pieces that grow, tells how far it is, and asks at the end what was made of it', async () => {
  const taker = new Taker()
  const { sent, stages } = send(taker, fileOf(13 * MB))
  expect(await sent).toBe('made of it')
  expect(taker.asked).toEqual(['begin', '0+4', '4+8', '12+1', 'finish'])
  const told = stages.map((stage) => (stage.is === 'sending' ? stage.sent / MB : stage.is))
  expect(told).toEqual([0, 2, 4, 8, 12, 12.5, 'checking'])
})

it('keeps to the size that the server takes, and goes on where an earlier upload was', async () => {
  const taker = new Taker()
  taker.become({ offset: 3 * MB, pieceLimit: MB })
  await send(taker, fileOf(5 * MB)).sent
  expect(taker.asked).toEqual(['begin', '3+1', '4+1', 'finish'])
})

it('asks after a broken line how much has come, and goes on there with smaller pieces', async () => {
  const taker = new Taker()
  taker.faults = [{ at: /^4\+/, error: lost(), comes: MB }]
  const { sent, stages } = send(taker, fileOf(10 * MB))
  expect(await sent).toBe('made of it')
  expect(taker.asked).toEqual(['begin', '0+4', '4+6', 'state', '5+4', '9+1', 'finish'])
  expect(stages.find(({ is }) => is === 'waiting')).toEqual({ is: 'waiting', sent: 4 * MB, why: '网络连接中断' })
})

it('hears of pieces that came although the answer was lost, also when nobody could be asked at first', async () => {
  const taker = new Taker()
  taker.faults = [
    { at: /^0\+/, error: lost(), comes: 4 * MB },
    { at: /state/, error: lost() },
  ]
  await send(taker, fileOf(5 * MB)).sent
  expect(taker.asked).toEqual(['begin', '0+4', 'state', '0+2', 'state', '4+1', 'finish'])
})

it('sends again what the server has lost', async () => {
  const taker = new Taker()
  taker.faults = [{ at: /finish/, error: refusal(409, '文件还没有传完'), comes: -MB }]
  const { sent, stages } = send(taker, fileOf(2 * MB))
  expect(await sent).toBe('made of it')
  expect(taker.asked).toEqual(['begin', '0+2', 'finish', 'state', '1+1', 'finish'])
  expect(stages).toContainEqual({ is: 'waiting', sent: 2 * MB, why: '文件还没有传完' })
})

it.each([408, 429, 500, 502, 503])('tries again after %i, in the words of the server', async (status) => {
  const taker = new Taker()
  taker.faults = [/begin/, /^0\+/, /finish/].map((at) => ({ at, error: refusal(status, '磁盘已满') }))
  const { sent, stages } = send(taker, fileOf(MB))
  expect(await sent).toBe('made of it')
  expect(stages.filter(({ is }) => is === 'waiting').map((stage) => 'why' in stage && stage.why)).toEqual(
    Array(3).fill('磁盘已满'),
  )
})

it.each([
  ['too many are open', /begin/, 409],
  ['the file is refused', /finish/, 415],
  ['the upload has expired', /^0\+/, 404],
])('does not try again when %s', async (_, at, status) => {
  const taker = new Taker()
  taker.faults = [{ at, error: refusal(status) }]
  await expect(send(taker, fileOf(MB)).sent).rejects.toMatchObject({ httpStatus: status })
  expect(taker.asked.at(-1)).toMatch(at)
})

it('stops after so many tries of which nothing came, and not while something comes', async () => {
  const taker = new Taker()
  taker.faults = Array.from({ length: 25 }, () => ({ at: /\+/, error: lost(), comes: 1 }))
  expect(await send(taker, fileOf(MB)).sent).toBe('made of it')
  taker.become({ offset: 0 })
  taker.faults = Array.from({ length: 25 }, () => ({ at: /\+/, error: lost() }))
  await expect(send(taker, fileOf(MB)).sent).rejects.toThrow('Failed to fetch')
  expect(taker.faults).toHaveLength(4)
})

it('says that a file was changed or removed here, instead of trying for ever', async () => {
  const taker = new Taker()
  taker.faults = [{ at: /\+/, error: lost() }]
  const file = fileOf(MB)
  file.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) })
  await expect(send(taker, file).sent).rejects.toBeInstanceOf(UnreadableFile)
})

it('asks for nothing more once it is paused, wherever it was', async () => {
  for (const moment of ['sending', 'waiting']) {
    const taker = new Taker()
    taker.faults = [{ at: /^0\+/, error: lost() }]
    const pausedAt = vi.fn((stage: Stage, control: AbortController) => stage.is === moment && control.abort())
    await expect(send(taker, fileOf(5 * MB), pausedAt).sent).rejects.toBeDefined()
    expect(taker.asked).toEqual(['begin', '0+4'])
  }
})

it('asks for nothing more when it is paused while the file is looked at', async () => {
  const taker = new Taker()
  taker.faults = [{ at: /^0\+/, error: lost() }]
  const file = fileOf(5 * MB)
  const control = new AbortController()
  const slice = file.slice.bind(file)
  file.slice = (from, to) => {
    // A byte: it is looked whether the file can still be read.
    if (to === (from ?? 0) + 1) control.abort()
    return slice(from, to)
  }
  const sent = sendInPieces(taker, file, { signal: control.signal, onStage: () => undefined })
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
  expect(taker.asked).toEqual(['begin', '0+4'])
})

it('asks for nothing more when it is paused while it asks how much has come', async () => {
  const taker = new Taker()
  taker.faults = [{ at: /^0\+/, error: lost() }]
  let asked = () => {}
  const { sent } = send(taker, fileOf(5 * MB), (_, control) => {
    asked = () => control.abort()
  })
  taker.state = async () => {
    asked()
    throw lost()
  }
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
  expect(taker.asked).toEqual(['begin', '0+4'])
})
