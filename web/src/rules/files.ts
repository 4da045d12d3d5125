import { byteSize } from './format'
import { maxChars, required, singleLine } from './texts'
import { firstOf, type Rule, type Verdict, violation } from './violation'

const MB = 1024 * 1024

/** What an upload is meant to be: its endings and the most bytes that it may have. The server looks inside as well. */
export const fileKinds = {
  /** A picture of a banner or of an activity. */
  picture: { extensions: ['jpg', 'jpeg', 'png'], maxBytes: 20 * MB },
  qrImage: { extensions: ['png', 'gif', 'jpg', 'jpeg'], maxBytes: 20 * MB },
  /** The specification says zip in Chinese and tar.gz in English; both are taken. */
  systemPackage: { extensions: ['zip', 'tar.gz'], maxBytes: 8192 * MB },
  iosApp: { extensions: ['ipa'], maxBytes: 4096 * MB },
  androidApp: { extensions: ['apk'], maxBytes: 4096 * MB },
  windowsApp: { extensions: ['exe'], maxBytes: 4096 * MB },
  certificate: { extensions: ['crt'], maxBytes: MB / 16 },
  sheet: { extensions: ['xlsx', 'csv'], maxBytes: 50 * MB },
} as const

export type FileKind = keyof typeof fileKinds

export type PixelSize = readonly [width: number, height: number]

/** The pixel sizes that banners come in. */
export const bannerSizes: readonly PixelSize[] = [
  [1125, 480],
  [825, 960],
  [1125, 2001],
  [150, 150],
]

/** The value of a file input's `accept`. */
export const acceptOf = (kind: FileKind): string =>
  fileKinds[kind].extensions.map((extension) => `.${extension}`).join(',')

/** The name ends in one of the kind's endings, in capitals or not. */
export const fileExtension =
  (kind: FileKind): Rule<string> =>
  (name) => {
    const { extensions } = fileKinds[kind]
    // ASCII only, as on the server: `toLowerCase` would take the Kelvin sign for a k.
    const lower = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const fits = extensions.some((ending) => lower.endsWith(`.${ending}`) && lower.length > ending.length + 1)
    return required(name) ?? (fits ? undefined : violation('file.extension', { allowed: extensions.join(', ') }))
  }

/** The file has something in it and is not larger than `max` bytes. */
export const fileSize =
  (max: number): Rule<number> =>
  (bytes) => {
    if (bytes === 0) return violation('file.empty')
    return bytes > max ? violation('file.tooLarge', { max: byteSize(max) }) : undefined
  }

/** A name that every file system takes and that shows what it is: no path, no control or turning character. */
export const fileName: Rule<string> = (name) =>
  firstOf(name, required, maxChars(128), (text) => {
    const isForeign = /[/\\:*?"<>|]|^\p{White_Space}|[. ]$/u.test(text) || singleLine(text) !== undefined
    return isForeign ? violation('fileName.characters') : undefined
  })

/** The picture has one of the allowed sizes, in pixels. */
export function imagePixels(width: number, height: number, allowed: readonly PixelSize[]): Verdict {
  if (allowed.some((size) => size[0] === width && size[1] === height)) return undefined
  return violation('image.pixels', { width, height, allowed: pixelList(allowed) })
}

/** Sizes as people read them: `1125×480, 825×960`. */
export const pixelList = (sizes: readonly PixelSize[]): string =>
  sizes.map(([width, height]) => `${width}×${height}`).join(', ')

/** All that the browser can say about a chosen file before it is sent. */
export const chosenFile =
  (kind: FileKind): Rule<{ readonly name: string; readonly size: number }> =>
  ({ name, size }) =>
    fileName(name) ?? fileExtension(kind)(name) ?? fileSize(fileKinds[kind].maxBytes)(size)
