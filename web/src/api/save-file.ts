import { fetchFile, type OperationId, type PartsArgument } from './call'
import type { ApiFile } from './client'

/** Hands a file to the browser's downloads. */
export function saveFile({ name, blob }: ApiFile) {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads the address after the click; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Makes a documented call that answers a file, and hands that to the browser's downloads. */
export async function downloadFile<K extends OperationId>(id: K, ...args: PartsArgument<K>) {
  const file = await fetchFile(id, ...args)
  if (file) saveFile(file)
}
