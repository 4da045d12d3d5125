import { ApiFailure } from '@/api/failure'
import { currentLanguage } from '@/i18n/language'
import { inLanguage, type Pair, textsOf } from '@/i18n/messages'
import type { Picture, SendPicture } from '@/kit/image/picture'
import type { ReferenceSource } from '@/kit/reference/source'
import type { Begun } from '@/kit/upload/in-pieces'
import type { FileSender } from '@/kit/upload/sender'
import { messages } from './messages'

/** Time for the eye to see that something is under way. */
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** What never arrives. */
const never = () => new Promise<never>(() => undefined)

export const failure = () => new ApiFailure({ status: 5003, httpStatus: 503, msg: textsOf(messages).failure })

/** An act that takes a second. */
export const wait = async () => {
  await pause(1_000)
  return {}
}

const roomCount = 137
const name = (id: number) => textsOf(messages).roomName(id)

/** Rooms as a server would answer them. */
export const rooms: ReferenceSource = {
  key: ['roomList', 'gallery'],
  search: async (keyword, page) => {
    await pause(300)
    const all = Array.from({ length: roomCount }, (_, at) => ({ id: at + 1, name: name(at + 1) }))
    const found = all.filter((room) => room.name.includes(keyword))
    return { items: found.slice((page - 1) * 20, page * 20), total: found.length }
  },
  find: async (id) => (Number(id) <= roomCount ? { id, name: name(Number(id)) } : undefined),
}
export const slowRooms: ReferenceSource = { key: ['roomList', 'slow'], search: never, find: never }
export const noRooms: ReferenceSource = {
  key: ['roomList', 'none'],
  search: async () => ({ items: [], total: 0 }),
  find: async () => undefined,
}
export const brokenRooms: ReferenceSource = {
  key: ['roomList', 'broken'],
  search: () => Promise.reject(failure()),
  find: () => Promise.reject(failure()),
}
/** A room that `rooms` no longer has. */
export const goneRoom = roomCount + 1

/** A picture of one colour, drawn here: the gallery has no server. */
const svgOf = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="450" height="192"><rect width="450" height="192" fill="${colour}"/></svg>`

const drawn = (id: number, colour: string, label: Pair): Picture => ({
  id,
  url: `data:image/svg+xml,${encodeURIComponent(svgOf(colour))}`,
  name: inLanguage(label, currentLanguage()),
})

export const pictures = (): Picture[] => [
  drawn(1, '#1660cf', ['蓝', 'Blue']),
  drawn(2, '#1a7434', ['绿', 'Green']),
  drawn(3, '#8f5300', ['棕', 'Brown']),
]
/** One that is fetched. */
export const latePicture = async () => {
  await pause(300)
  return new Blob([svgOf('#1660cf')], { type: 'image/svg+xml' })
}
export const brokenPicture = (): Picture => ({ ...drawn(9, '', ['无', 'None']), url: 'data:image/png;base64,AAAA' })

/** A large file that was begun yesterday. */
export const begunFile = (): Begun => ({
  id: 'gallery',
  fileName: inLanguage(['系统 3.2.1.zip', 'System 3.2.1.zip'], currentLanguage()),
  size: 2_000_000_000,
  modifiedAt: '2026-11-20T13:00:00Z',
  offset: 830_000_000,
  pieceLimit: 16 * 1024 * 1024,
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
})

/** Takes any file, in five seconds. */
export const takeFile: FileSender<{ id: number }> = {
  key: ['operationUploadMine', 'gallery'],
  send: async (file, { onStage, signal }) => {
    for (let tenths = 0; tenths < 10; tenths += 1) {
      signal.throwIfAborted()
      onStage({ is: 'sending', sent: (file.size * tenths) / 10, perSecond: file.size / 5 })
      await pause(500)
    }
    onStage({ is: 'checking' })
    await pause(1_000)
    return { id: 1 }
  },
  unfinished: async () => [begunFile()],
  giveUp: async () => ({}),
}

let lastPicture = 100
export const sendPicture: SendPicture = async (file, onProgress) => {
  for (let sent = 0; sent < 1; sent += 0.1) {
    onProgress(sent)
    await pause(100)
  }
  lastPicture += 1
  return { id: lastPicture, url: URL.createObjectURL(file), name: file.name }
}
