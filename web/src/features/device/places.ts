import { call, type RowOf } from '@/api/call'
import { isApiFailure } from '@/api/failure'
import { firstOfList, listSource } from '@/kit/reference/source'

const need = 'room:list'
const name = (place: { name: string }) => place.name

/** The rooms. */
export const rooms = listSource('roomList', { name, need, find: (id) => firstOfList('roomList', { roomId: id }) })

/** The frames of a room; of all rooms where none is named. */
export const framesOf = (roomId: number | undefined) =>
  listSource('frameList', {
    name,
    need,
    within: known({ roomId }),
    find: (id) => firstOfList('frameList', { frameId: id }),
  })

/** The hosts of a frame or of a whole room. */
export const hostsOf = (place: { roomId?: number | undefined; frameId?: number | undefined }) =>
  listSource('hostList', { name, need, within: known(place), find: hostById })

// The list of hosts cannot be narrowed to one.
const hostById = (id: string | number) =>
  call('hostGet', { path: { id } }, { suppressNotice: true }).catch((error: unknown) => {
    if (isApiFailure(error) && error.httpStatus === 404) return undefined
    throw error
  })

const known = (place: Record<string, number | undefined>) =>
  Object.fromEntries(Object.entries(place).filter(([, id]) => id !== undefined))

const planName = (plan: RowOf<'addressPlanList'>) => `${plan.name} ${plan.intranet.startIp}`

/** The address plans of a room. */
export const plansOf = (roomId: number | undefined) =>
  listSource('addressPlanList', {
    name: planName,
    need: 'addressPlan:list',
    within: known({ roomId }),
    find: async (id) => {
      const plan = await firstOfList('addressPlanList', { planId: id })
      return plan && { id: plan.id, name: planName(plan) }
    },
  })
