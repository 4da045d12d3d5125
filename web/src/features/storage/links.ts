import { firstOfList, listSource } from '@/kit/reference/source'

/** Where an image is seen, and given its version. */
export const imagePath = (id: number | string) => `/storage/machineSystem?imageId=${id}`

const name = (image: { version: string; fingerprint: string }) => image.version || image.fingerprint

/** The images that cards run. */
export const images = listSource('imageList', {
  name,
  need: 'systemImage:list',
  find: async (id) => {
    const image = await firstOfList('imageList', { imageId: id })
    return image && { id: image.id, name: name(image) }
  },
})
