import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal as Xterm } from '@xterm/xterm'
import { type RefObject, useEffect, useRef } from 'react'
import './terminal.css'

/** The handle by which others control a terminal. */
export interface TerminalHandle {
  write: (bytes: Uint8Array | string) => void
  size: () => { rows: number; columns: number }
  focus: () => void
}

interface TerminalProps {
  label: string
  /** Set once the terminal is mounted. */
  handle: RefObject<TerminalHandle | null>
  onReady: () => void
  onInput: (bytes: Uint8Array) => void
  onSize: (rows: number, columns: number) => void
}

const encoder = new TextEncoder()

/** A terminal that fills its place. It is dark in both themes, as programs expect. */
export function Terminal({ label, handle, ...events }: TerminalProps) {
  const place = useRef<HTMLDivElement>(null)
  const newest = useRef(events)
  newest.current = events
  // The terminal draws itself, outside React.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const term = new Xterm({
      fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
      fontSize: 13,
      scrollback: 5000,
      screenReaderMode: true,
      theme: { background: '#141a26', foreground: '#d7deea', cursor: '#6aa6ff' },
    })
    const fit = new FitAddon()
    term.loadAddon(fit)
    term.open(element)
    fit.fit()
    term.onData((text) => newest.current.onInput(encoder.encode(text)))
    term.onResize(({ rows, cols }) => newest.current.onSize(rows, cols))
    handle.current = {
      write: (bytes) => term.write(bytes),
      size: () => ({ rows: term.rows, columns: term.cols }),
      focus: () => term.focus(),
    }
    newest.current.onReady()
    const watcher = new ResizeObserver(() => fit.fit())
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      term.dispose()
      handle.current = null
    }
  }, [handle])
  return <div ref={place} className="sky-terminal" role="application" aria-label={label} />
}
