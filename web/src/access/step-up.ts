import { create } from 'zustand'

/** What the server takes as a proof: the password, and for some a code as well. */
interface Asked {
  withCode: boolean
}

interface Asking extends Asked {
  answer: (isProved: boolean) => void
}

const store = create<{ asking: Asking | undefined }>(() => ({ asking: undefined }))

/** What the person is being asked, if anything. */
export const useStepUp = () => store(({ asking }) => asking)

let running: Promise<boolean> | undefined

/** Asks the person to prove who is there. Calls that want it at the same time share one question. */
export function askForProof({ withCode }: Asked): Promise<boolean> {
  running ??= new Promise<boolean>((answer) => store.setState({ asking: { withCode, answer } })).finally(() => {
    running = undefined
    store.setState({ asking: undefined })
  })
  return running
}
