import { chosenFile, type FileKind, imagePixels, type PixelSize } from '@/rules/files'
import { type Verdict, violation } from '@/rules/violation'

/** The width and height that people see; undefined when it is no picture. */
async function pixelsOf(file: File): Promise<PixelSize | undefined> {
  try {
    const bitmap = await createImageBitmap(file)
    const size = [bitmap.width, bitmap.height] as const
    bitmap.close()
    return size
  } catch {
    return undefined
  }
}

/** All that can be said about a picture before it is sent: its name, its size, whether it is one, its pixels. */
export async function judgePicture(file: File, kind: FileKind, sizes: readonly PixelSize[]): Promise<Verdict> {
  const wrong = chosenFile(kind)(file)
  if (wrong) return wrong
  const pixels = await pixelsOf(file)
  if (!pixels) return violation('file.damaged')
  return sizes.length > 0 ? imagePixels(...pixels, sizes) : undefined
}
