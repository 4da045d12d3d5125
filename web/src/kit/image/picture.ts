import { addressOf } from '@/api/address'
import type { OperationId } from '@/api/call'
import { operations } from '@/api/operations'
import { upload } from '@/api/upload'

/** A picture that the server keeps. */
export interface Picture {
  id: string | number
  /** Where the browser finds it. */
  url: string
  name?: string
}

/** Sends a picture, tells from 0 to 1 how much of it has left, and gives what the server made of it. */
export type SendPicture = (file: File, onProgress: (sent: number) => void) => Promise<Picture>

/** Sends pictures through a call that takes a file and answers a `Picture`. */
export const pictureSender =
  (operation: OperationId): SendPicture =>
  async (file, onProgress) => {
    const form = new FormData()
    form.set('file', file)
    const { data } = await upload(addressOf(operations[operation].path), form, { onProgress, suppressNotice: true })
    return data as Picture
  }
