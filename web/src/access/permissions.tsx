import type { ReactNode } from 'react'
import type { Code } from '@/api/codes'
import { adminRole } from './roles'
import { currentSession, useSession } from './session'

/** True when the roles hold one of the listed ones. The admin holds all. */
export function holdsAny(roles: readonly string[], listed: readonly string[]): boolean {
  return roles.includes(adminRole) || listed.some((role) => roles.includes(role))
}

function listOf(value: unknown, name: string): string[] {
  if (!Array.isArray(value)) throw new Error(`${name} must be an array, for example ${name}={['admin']}`)
  return value
}

/** Whether the person may do something: `can('clientUser:disable')`. For code outside React. */
export const can = (need: Code): boolean => holdsAny(currentSession().roles, [need])

/** Whether the person may do something; the component follows a change of rights. */
export function useCan(): (need: Code | undefined) => boolean {
  const roles = useSession((session) => session.roles)
  return (need) => need === undefined || holdsAny(roles, [need])
}

/** Shows its children to those who hold the code. The server judges again. */
export function Can({ need, children }: { need: Code; children: ReactNode }) {
  return useCan()(need) ? children : null
}

/** Shows its children to those who hold one of the roles. A value that is not an array is an error. */
export function HasRole({ roles, children }: { roles: string[]; children: ReactNode }) {
  const held = useSession((session) => session.roles)
  return holdsAny(held, listOf(roles, 'roles')) ? children : null
}

/** Shows its children when the permission list holds every given code. A value that is not an array is an error. */
export function HasPermission({ need, children }: { need: string[]; children: ReactNode }) {
  const held = useSession((session) => session.upermission)
  return listOf(need, 'need').every((code) => held.includes(code)) ? children : null
}
