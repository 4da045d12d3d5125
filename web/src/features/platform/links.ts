import { call } from '@/api/call'
import { firstOfList, listSource } from '@/kit/reference/source'

/** Where one application of the Open API is seen. */
export const openAppPath = (id: number | string) => `/platform/thirdParty?detail=${id}`

/** What one application was told. */
export const deliveriesPath = (appId: number | string) => `/platform/thirdParty?tab=deliveries&appId=${appId}`

/** The applications that call the Open API. */
export const apps = listSource('openAppList', {
  name: (app) => app.name,
  need: 'openApp:list',
  find: async (id) => {
    const found = await call('openAppGet', { path: { id: Number(id) } })
    return { id: found.id, name: found.name }
  },
})

/** The rooms that gateways and services answer for. */
export const rooms = listSource('roomList', {
  name: (room) => room.name,
  need: 'room:list',
  find: (id) => firstOfList('roomList', { roomId: id }),
})
