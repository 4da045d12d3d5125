import { useEffect, useRef, useState } from 'react'
import { useCan } from '@/access/permissions'
import { isApiFailure } from '@/api/failure'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Drawer } from '@/ui/drawer'
import { StatusTag } from '@/ui/status-tag'
import { Terminal, type TerminalHandle } from '@/ui/terminal'
import type { Tone } from '@/ui/tone'
import { shellMessages } from './messages'
import { openShell, type ShellSession } from './session'
import { WhyDialog } from './why-dialog'
import './shell.css'

type State = { at: 'opening' | 'opened' } | { at: 'ended'; why: string }

const tone: Record<State['at'], Tone> = { opening: 'busy', opened: 'good', ended: 'muted' }

interface ShellDrawerProps {
  card: number
  name: string
  onClose: () => void
}

/** A shell on one card, as long as the drawer is open. Where a customer's phone is on the card it is asked why first. */
export default function ShellDrawer(props: ShellDrawerProps) {
  const maySee = useCan()('device:get')
  /** Why, once that is known; empty where nobody has to say. From then on only the server ends it. */
  const [reason, setReason] = useState<string>()
  const [isWanted, setWanted] = useState(false)
  const settings = { suppressNotice: true, staleTime: 0, enabled: maySee && reason === undefined }
  const { data: card, isFetchedAfterMount } = useApiQuery('cardGet', { path: { id: props.card } }, settings)
  const isKnown = isFetchedAfterMount || !maySee
  const isFree = isKnown && !isWanted && card !== undefined && !card.phone

  // What is on the card now decides, and not what comes on it while the shell is open.
  useEffect(() => {
    if (isFree) setReason('')
  }, [isFree])

  if (reason !== undefined) {
    // A phone has come on the card meanwhile.
    const ask = () => {
      setWanted(true)
      setReason(undefined)
    }
    return <OpenShell {...props} reason={reason} onAsked={ask} />
  }
  if (!isKnown || isFree) return null
  return <WhyDialog name={props.name} isOptional={!isWanted && !card} onGiven={setReason} onClose={props.onClose} />
}

interface OpenShellProps extends ShellDrawerProps {
  reason: string
  /** The server wants a reason. */
  onAsked: () => void
}

function OpenShell({ reason, onAsked, ...props }: OpenShellProps) {
  const m = useMessages(shellMessages)
  const [state, setState] = useState<State>({ at: 'opening' })
  const terminal = useRef<TerminalHandle>(null)
  const session = useRef<ShellSession>(null)

  const connect = () => {
    const screen = terminal.current
    if (!screen) return
    setState({ at: 'opening' })
    openShell(props.card, reason, screen.size(), {
      onOpened: () => {
        setState({ at: 'opened' })
        screen.focus()
      },
      onBytes: screen.write,
      onEnded: ({ exit, reason }) =>
        setState({ at: 'ended', why: exit === undefined ? (reason ?? m.lost) : m.exit(exit) }),
    }).then(
      (opened) => {
        // The drawer was closed while the ticket was on its way.
        if (terminal.current) session.current = opened
        else opened.close()
      },
      (error: unknown) => {
        if (isApiFailure(error) && error.errors.some(({ field }) => field === 'reason')) onAsked()
        else setState({ at: 'ended', why: isApiFailure(error) ? error.msg : m.lost })
      },
    )
  }
  // A shell is outside React; it goes with the drawer.
  useEffect(() => () => session.current?.close(), [])

  return (
    <Drawer
      open
      size={860}
      title={
        <span className="kit-detail-title">
          {m.title(props.name)}
          <StatusTag tone={tone[state.at]}>{m[state.at]}</StatusTag>
        </span>
      }
      extra={state.at === 'ended' && <Button onClick={connect}>{m.again}</Button>}
      keyboard={false}
      onClose={props.onClose}
    >
      <div className="device-shell">
        <Terminal
          label={m.terminal}
          handle={terminal}
          onReady={connect}
          onInput={(bytes) => session.current?.type(bytes)}
          onSize={(rows, columns) => session.current?.resize(rows, columns)}
        />
        <p className="sky-soft" role="status">
          {state.at === 'ended' ? state.why : m.recorded}
        </p>
      </div>
    </Drawer>
  )
}
