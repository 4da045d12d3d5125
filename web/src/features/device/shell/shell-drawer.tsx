import { useEffect, useRef, useState } from 'react'
import { isApiFailure } from '@/api/failure'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Drawer } from '@/ui/drawer'
import { StatusTag } from '@/ui/status-tag'
import { Terminal, type TerminalHandle } from '@/ui/terminal'
import type { Tone } from '@/ui/tone'
import { shellMessages } from './messages'
import { openShell, type ShellSession } from './session'
import './shell.css'

type State = { at: 'opening' | 'opened' } | { at: 'ended'; why: string }

const tone: Record<State['at'], Tone> = { opening: 'busy', opened: 'good', ended: 'muted' }

/** A shell on one card, as long as the drawer is open. */
export default function ShellDrawer(props: { card: number; name: string; onClose: () => void }) {
  const m = useMessages(shellMessages)
  const [state, setState] = useState<State>({ at: 'opening' })
  const terminal = useRef<TerminalHandle>(null)
  const session = useRef<ShellSession>(null)

  const connect = () => {
    const screen = terminal.current
    if (!screen) return
    setState({ at: 'opening' })
    openShell(props.card, screen.size(), {
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
      (error: unknown) => setState({ at: 'ended', why: isApiFailure(error) ? error.msg : m.lost }),
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
