import { firstOfList, listSource } from '@/kit/reference/source'

/** The rooms that phones have their home in. */
export const rooms = listSource('roomList', {
  name: (room) => room.name,
  need: 'room:list',
  find: (id) => firstOfList('roomList', { roomId: id }),
})
