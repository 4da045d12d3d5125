import { lazy } from 'react'
import { call } from '@/api/call'
import type { Pair } from '@/i18n/messages'
import { listSource } from '@/kit/reference/source'
import { life, useType } from './choices'

export { phonePath } from './paths'

/** What no copy brings back: said wherever somebody is about to lose it, or to wait for it in vain. */
export const staysBehind: Pair = [
  '账号、密钥、DRM 和锁屏与板卡绑定，不会恢复，应用可能要求重新登录',
  'Accounts, keys, DRM and the screen lock are bound to the board and do not come back, so apps may ask to sign in again',
]

/** The phones of one user, for his detail. */
export const PhonesOfUser = lazy(() => import('./list/of-user'))

/** The stays of one phone on cards, or those on one card, for its page. */
export const SessionsOf = lazy(() => import('./sessions/of'))

const nameOf = ({ code, name }: { code: string; name: string }) => (name ? `${code} · ${name}` : code)

/** All phones. */
export const phones = phonesOf({})

/** The phones of one user that are on a card. */
export const phonesOn = (userId: number) => phonesOf({ userId, useType: useType.value.on })

/** The phones of one user that a copy for this board can be brought to: active, and never used. */
export const phonesNew = (userId: number, board: string) =>
  phonesOf({ userId, board, isBlank: true, life: life.value.active })

function phonesOf(within: Record<string, unknown>) {
  return listSource('phoneList', {
    name: nameOf,
    need: 'phone:list',
    within,
    find: async (id) => {
      const found = await call('phoneGet', { path: { id: Number(id) } })
      return { id: found.id, name: nameOf(found) }
    },
  })
}
