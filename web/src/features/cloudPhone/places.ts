import { call } from '@/api/call'
import { firstOfList, listSource } from '@/kit/reference/source'

/** The rooms that phones have their home in. */
export const rooms = listSource('roomList', {
  name: (room) => room.name,
  need: 'room:list',
  find: (id) => firstOfList('roomList', { roomId: id }),
})

/** Those who rent phones. */
export const users = listSource('clientUserPage', {
  name: ({ name, phone, identCode }) => `${name} · ${phone || identCode}`,
  need: 'clientUser:list',
  find: (id) => call('clientUserGet', { query: { id: Number(id) } }, { suppressNotice: true }),
})
