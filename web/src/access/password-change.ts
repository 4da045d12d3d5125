import { create } from 'zustand'

/** Whether the change-password dialog is up, and whether the person may put it off. */
interface PasswordChange {
  open: boolean
  forced: boolean
  /** Why the server insists, in its words. */
  reason: string
}

const store = create<PasswordChange>(() => ({ open: false, forced: false, reason: '' }))

export const usePasswordChange = () => store()

export const openPasswordChange = () => store.setState({ open: true })
export const forcePasswordChange = (reason = '') =>
  store.setState((state) => ({ open: true, forced: true, reason: reason || state.reason }))
export const closePasswordChange = () => store.setState((state) => ({ ...state, open: state.forced }))
