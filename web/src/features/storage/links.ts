import { lazy } from 'react'
import { call } from '@/api/call'
import { firstOfList, listSource, type ReferenceId } from '@/kit/reference/source'

/** Where an image is seen, and given its version. */
export const imagePath = (id: number | string) => `/storage/machineSystem?imageId=${id}`

const name = (image: { version: string; fingerprint: string }) => image.version || image.fingerprint

const find = async (id: ReferenceId) => {
  const image = await firstOfList('imageList', { imageId: Number(id) })
  return image && { id: image.id, name: name(image) }
}

/** The images that cards run. */
export const images = listSource('imageList', { name, need: 'systemImage:list', find })

/** Those that cards of a board run. */
export const imagesOf = (board: string) =>
  listSource('imageList', { name, need: 'systemImage:list', find, within: { board } })

/** A button that names what copies may leave out on an image, where it was found in their way. */
export const ExcludeButton = lazy(() => import('./machineSystem/exclude-button'))

/** Where one storage node is seen. */
export const nodePath = (id: number | string) => `/storage/management?detail=${id}`

/** Where one copy of a phone is seen. */
export const backupPath = (id: number | string) => `/storage/backup?detail=${id}`

/** The copies of one phone, for its page. */
export const BackupsOfPhone = lazy(() => import('./backup/of-phone'))

/** Storage nodes. */
export const nodes = listSource('storeNodeList', {
  name: (node) => node.name,
  need: 'storage:list',
  find: async (id) => {
    const found = await call('storeNodeGet', { path: { id: Number(id) } })
    return { id: found.id, name: found.name }
  },
})
