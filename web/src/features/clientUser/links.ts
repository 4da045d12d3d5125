import { call } from '@/api/call'
import { listSource } from '@/kit/reference/source'

/** Where a customer is seen. */
export const clientUserPath = (id: number | string) => `/clientUser?detail=${id}`

/** Customers: those who rent phones. */
export const users = listSource('clientUserPage', {
  name: ({ name, phone, identCode }) => `${name} · ${phone || identCode}`,
  need: 'clientUser:list',
  find: (id) => call('clientUserGet', { query: { id: Number(id) } }, { suppressNotice: true }),
})
