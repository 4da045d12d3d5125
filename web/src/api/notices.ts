/** One message that comes, waits five seconds and goes. */
export interface Notice {
  tone: 'good' | 'info' | 'warn' | 'bad'
  title: string
  text?: string
}

let early: Notice[] = []
let show = (notice: Notice) => {
  early.push(notice)
}

/** Tells where notices appear. What was said before is shown at once. */
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
