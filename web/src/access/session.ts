import { create } from 'zustand'
import type { MenuEntry } from './menu'
import { clearStorage, load, save, storagePrefix } from './storage'

/** What the console knows about the person who is signed in. */
export interface Session {
  uid: string
  token: string
  /** Always 2 after signing in. */
  utype: number
  upermission: string[]
  username: string
  name: string
  avatar: string
  introduction: string
  roles: string[]
  groupId: string
  menuTree: MenuEntry[]
}

const nobody: Session = {
  uid: '',
  token: '',
  utype: 0,
  upermission: [],
  username: '',
  name: '',
  avatar: '',
  introduction: '',
  roles: [],
  groupId: '',
  menuTree: [],
}

const keys = Object.keys(nobody) as (keyof Session)[]

function restored(): Session {
  const entries = keys.map((key) => [key, load(key) ?? nobody[key]])
  return Object.fromEntries(entries) as unknown as Session
}

const store = create<Session>(restored)

/** The session, for code outside React. */
export const currentSession = (): Session => store.getState()

/** One part of the session; the component follows its changes. */
export const useSession = <T>(select: (session: Session) => T): T => store(select)

/** Changes part of the session, in memory and in browser storage. */
export function updateSession(change: Partial<Session>) {
  for (const key of keys) if (change[key] !== undefined) save(key, change[key])
  store.setState(change)
}

/** What signing in knows at once; roles and menus follow from the server. */
export function beginSession(signedIn: { token: string; id: string; groupId: string; username: string }) {
  updateSession({
    ...nobody,
    token: signedIn.token,
    uid: signedIn.id,
    groupId: signedIn.groupId,
    username: signedIn.username,
    utype: 2,
    upermission: ['adduser', 'checkuser'],
  })
}

/** Forgets the person: all local storage and the token. */
export function clearSession() {
  clearStorage()
  store.setState(nobody)
}

/** Follows another browser tab of this console that signs in or out. Calls back when the token has changed there. */
export function followOtherTabs(onChange: () => void) {
  window.addEventListener('storage', (event) => {
    const ours = event.key === null || event.key === `${storagePrefix}token`
    if (ours && (load<string>('token') ?? '') !== currentSession().token) onChange()
  })
}
