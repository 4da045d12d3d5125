import { lazy } from 'react'
import { call } from '@/api/call'
import { listSource } from '@/kit/reference/source'
import { life, useType } from './choices'

/** Where one phone is seen. */
export const phonePath = (id: number | string) => `/cloudPhone/list/${id}`

/** The phones of one user, for his detail. */
export const PhonesOfUser = lazy(() => import('./list/of-user'))

const nameOf = ({ code, name }: { code: string; name: string }) => (name ? `${code} · ${name}` : code)

/** The phones of one user that are on a card. */
export const phonesOn = (userId: number) => phonesOf({ userId, useType: useType.value.on })

/** The phones of one user that a copy for this board can be brought to: active, and never used. */
export const phonesNew = (userId: number, board: string) =>
  phonesOf({ userId, board, isBlank: true, life: life.value.active })

const phonesOf = (within: Record<string, unknown>) =>
  listSource('phoneList', {
    name: nameOf,
    need: 'phone:list',
    within,
    find: async (id) => {
      const found = await call('phoneGet', { path: { id: Number(id) } })
      return { id: found.id, name: nameOf(found) }
    },
  })
