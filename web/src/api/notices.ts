import { create } from 'zustand'

export type NoticeKind = 'success' | 'info' | 'warning' | 'error'

/** One message in the corner of the window. */
export interface Notice {
  id: number
  kind: NoticeKind
  title?: string
  text: string
}

/** How long a notice stays, in milliseconds. */
export const noticeDurationMs = 5000

const store = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let lastId = 0

/** The notices on screen, oldest first. */
export const useNotices = () => store((state) => state.notices)

/** The notices on screen, for tests and for code outside React. */
export const currentNotices = () => store.getState().notices

/** Takes a notice away before its time. */
export function dismissNotice(id: number) {
  store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}

/** Shows a message for five seconds. The same message twice at once is shown once. */
export function notify(notice: { kind: NoticeKind; title?: string; text: string }) {
  const same = store.getState().notices.find((shown) => shown.text === notice.text && shown.title === notice.title)
  if (same) return
  lastId += 1
  const id = lastId
  store.setState(({ notices }) => ({ notices: [...notices, { id, ...notice }] }))
  setTimeout(() => dismissNotice(id), noticeDurationMs)
}

/** Says that something worked. */
export const notifySuccess = (text: string) => notify({ kind: 'success', text })

/** Says that something went wrong, as a toast without a title. */
export const notifyError = (text: string) => notify({ kind: 'error', text })
