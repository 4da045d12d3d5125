import { lazy } from 'react'
import { call } from '@/api/call'
import { listSource } from '@/kit/reference/source'
import { useType } from './choices'

/** Where one phone is seen. */
export const phonePath = (id: number | string) => `/cloudPhone/list/${id}`

/** The phones of one user, for his detail. */
export const PhonesOfUser = lazy(() => import('./list/of-user'))

const nameOf = ({ code, name }: { code: string; name: string }) => (name ? `${code} · ${name}` : code)

/** The phones of one user that are on a card. */
export const phonesOn = (userId: number) =>
  listSource('phoneList', {
    name: nameOf,
    need: 'phone:list',
    within: { userId, useType: useType.value.on },
    find: async (id) => {
      const found = await call('phoneGet', { path: { id: Number(id) } })
      return { id: found.id, name: nameOf(found) }
    },
  })
