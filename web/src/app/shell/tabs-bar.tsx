import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
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
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { CloseIcon } from '@/ui/icons'
import { LeftIcon, RightIcon } from '@/ui/shell-icons'
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
  const { visits, names } = useTabs()
  const language = useLanguage()
  const [menu, setMenu] = useState<MenuPlace>()
  const active = useRef<HTMLButtonElement>(null)
  const row = useRef<HTMLDivElement>(null)
  const hasMore = useOverflow(row, visits)

  const isThere = visits.some(({ path }) => path === pathname)
  // The tab of the page one has just opened may lie outside the visible part of the row. It comes with the visit, which
  // is noted after the address has changed.
  useEffect(() => {
    if (hasMore && isThere && pathname !== '')
      active.current?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname, isThere, hasMore])

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

  const nameOf = ({ path, title: raw }: Visit) => {
    const own = names[path]
    if (own) return inLanguage(own, language)
    return raw === 'no-name' ? m.noName : title(raw)
  }

  return (
    <nav className="tabs-bar" aria-label={m.tabs}>
      {hasMore && <Arrow label={m.tabsBefore} row={row} step={-1} />}
      <div className="tabs-row" ref={row}>
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
      </div>
      {hasMore && <Arrow label={m.tabsAfter} row={row} step={1} />}
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

/** Whether the tabs take more room than there is. */
function useOverflow(row: RefObject<HTMLDivElement | null>, visits: readonly Visit[]): boolean {
  const [hasMore, setHasMore] = useState(false)
  // How wide the tabs are is known only after they were laid out. The observer hears of that: whoever asks before has the
  // whole page laid out for it.
  useLayoutEffect(() => {
    const box = row.current
    if (!box || visits.length === 0) return setHasMore(false)
    const watch = new ResizeObserver(() => setHasMore(box.scrollWidth > box.clientWidth + 1))
    watch.observe(box)
    return () => watch.disconnect()
  }, [row, visits])
  return hasMore
}

function Arrow({ label, row, step }: { label: string; row: RefObject<HTMLDivElement | null>; step: 1 | -1 }) {
  return (
    <button
      type="button"
      className="tabs-arrow"
      aria-label={label}
      title={label}
      onClick={() => row.current?.scrollBy({ left: step * row.current.clientWidth * 0.7 })}
    >
      {step < 0 ? <LeftIcon aria-hidden /> : <RightIcon aria-hidden />}
    </button>
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
