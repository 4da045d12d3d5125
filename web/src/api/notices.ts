/** One message that appears, stays five seconds and disappears. */
export interface Notice {
  tone: 'good' | 'info' | 'warn' | 'bad'
  title: string
  text?: string
}

let early: Notice[] = []
let show = (notice: Notice) => {
  early.push(notice)
}

/** Sets where notices appear. Earlier ones are shown at once. */
export function connectNotices(sink: (notice: Notice) => void) {
  show = sink
  for (const notice of early) sink(notice)
  early = []
}

/** Shows a notice. `api` cannot import `ui`, so the application connects the two at start. */
export const notify = (notice: Notice) => show(notice)

/** Says that something worked. */
export const notifySuccess = (title: string) => show({ tone: 'good', title })

/** Says that something went wrong, as a toast. */
export const notifyError = (title: string) => show({ tone: 'bad', title })
