import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import {
  addressOfVisit,
  changeTabs,
  close,
  closeAll,
  closeOthers,
  currentTabs,
  nextAfterClose,
  type TabsState,
  useTabs,
  type Visit,
} from '@/access/tabs'
import { useTitle } from '@/access/titles'
import { useMessages } from '@/i18n/messages'
import { CloseIcon } from '@/ui/icons'
import { messages } from '../messages'

interface MenuPlace {
  view: Visit
  left: number
  top: number
}

/** The visited pages. A right click or the menu key offers Close, Close Others, Close All; so does a middle click: Close. */
export function TabsBar() {
  const m = useMessages(messages)
  const title = useTitle()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { visits } = useTabs()
  const [menu, setMenu] = useState<MenuPlace>()
  const active = useRef<HTMLButtonElement>(null)

  // The tab of the page one has just opened may lie outside the visible part of the row.
  useEffect(() => {
    if (pathname !== '') active.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])

  function change(next: (state: TabsState) => TabsState, staying = pathname) {
    changeTabs(next)
    const target = nextAfterClose(currentTabs(), staying)
    if (target) void navigate(target)
  }

  function openMenu(event: MouseEvent<HTMLElement>, view: Visit) {
    event.preventDefault()
    const box = event.currentTarget.getBoundingClientRect()
    // The menu key sends no pointer position.
    const byKey = event.clientX === 0 && event.clientY === 0
    setMenu({ view, left: byKey ? box.left : event.clientX, top: byKey ? box.bottom : event.clientY })
  }

  const nameOf = (view: Visit) => (view.title === 'no-name' ? m.noName : title(view.title))

  return (
    <nav className="tabs-bar" aria-label={m.tabs}>
      {visits.map((view) => {
        const current = view.path === pathname
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the middle click is a short cut for the close button inside
          <div
            key={view.path}
            className="tab"
            data-active={current || undefined}
            onContextMenu={(event) => openMenu(event, view)}
            onAuxClick={(event) => event.button === 1 && change((state) => close(state, view.path))}
          >
            <button
              type="button"
              ref={current ? active : undefined}
              className="tab-name"
              aria-current={current ? 'page' : undefined}
              onClick={() => void navigate(addressOfVisit(view))}
            >
              {nameOf(view)}
            </button>
            <button
              type="button"
              className="tab-close"
              aria-label={m.closeTab(nameOf(view))}
              onClick={() => change((state) => close(state, view.path))}
            >
              <CloseIcon aria-hidden />
            </button>
          </div>
        )
      })}
      {menu && (
        <TabMenu
          place={menu}
          onClose={() => setMenu(undefined)}
          onPick={(act) => {
            const { path } = menu.view
            setMenu(undefined)
            if (act === 'close') change((state) => close(state, path))
            if (act === 'all') change(closeAll, '')
            if (act === 'others') {
              change((state) => closeOthers(state, path))
            }
          }}
        />
      )}
    </nav>
  )
}

type Act = 'close' | 'others' | 'all'

interface TabMenuProps {
  place: MenuPlace
  onPick: (act: Act) => void
  onClose: () => void
}

function TabMenu({ place, onPick, onClose }: TabMenuProps) {
  const m = useMessages(messages)
  const ref = useRef<HTMLDivElement>(null)

  // A menu takes the focus when it opens, and any press outside closes it.
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    ref.current?.querySelector('button')?.focus()
    const press = (event: PointerEvent) => {
      if (!ref.current?.contains(event.target as Node)) onClose()
    }
    document.addEventListener('pointerdown', press)
    return () => {
      document.removeEventListener('pointerdown', press)
      before?.focus()
    }
  }, [onClose])

  function move(step: number) {
    const rows = [...(ref.current?.querySelectorAll('button') ?? [])]
    const at = rows.indexOf(document.activeElement as HTMLButtonElement)
    rows[(at + step + rows.length) % rows.length]?.focus()
  }

  const left = Math.min(place.left, window.innerWidth - 160)
  const acts: [Act, string][] = [
    ['close', m.close],
    ['others', m.closeOthers],
    ['all', m.closeAll],
  ]
  return (
    <div
      ref={ref}
      role="menu"
      tabIndex={-1}
      aria-label={m.tabMenu}
      className="tab-menu"
      style={{ left, top: place.top }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === 'Tab') onClose()
        if (event.key === 'ArrowDown') move(1)
        if (event.key === 'ArrowUp') move(-1)
      }}
    >
      {acts.map(([act, label]) => (
        <button key={act} type="button" role="menuitem" onClick={() => onPick(act)}>
          {label}
        </button>
      ))}
    </div>
  )
}
