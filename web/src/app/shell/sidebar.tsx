import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { routeAt } from '@/access/routes'
import { type SidebarItem, sidebarItems } from '@/access/sidebar-items'
import { useSidebarOpen } from '@/access/sidebar-state'
import { useTitle } from '@/access/titles'
import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import { MenuIcon } from '@/ui/menu-icons'
import { RightIcon } from '@/ui/shell-icons'
import { messages } from '../messages'
import { useWheelScroll } from './wheel'

/** The menu. Expanded it shows icons and titles; collapsed, icons whose groups open beside it. */
export function Sidebar() {
  const m = useMessages(messages)
  const routes = useRoutesOfSession()
  const open = useSidebarOpen()
  const items = useMemo(() => sidebarItems(routes), [routes])
  const { pathname } = useLocation()
  // The page of one thing belongs to the entry of its screen.
  const here = routeAt(routes, pathname)?.path ?? pathname
  const scroller = useRef<HTMLDivElement>(null)
  useWheelScroll(scroller)

  return (
    <nav className="sidebar" aria-label={m.navigation}>
      <NavLink to="/" className="sidebar-logo" aria-label={`Skyrack · ${m.home}`}>
        <Logo small={!open} />
      </NavLink>
      <div className="sidebar-scroll" ref={scroller}>
        <ul className="sidebar-list">
          {items.map((item) => (
            <Item key={item.key} item={item} depth={0} collapsed={!open} here={here} />
          ))}
        </ul>
      </div>
    </nav>
  )
}

interface ItemProps {
  item: SidebarItem
  /** The entry whose page is open. */
  here: string
  depth: number
  collapsed: boolean
}

function Item(props: ItemProps) {
  return props.item.path === undefined ? <Group {...props} /> : <Entry {...props} path={props.item.path} />
}

function Entry({ item, path, depth, collapsed, here }: ItemProps & { path: string }) {
  const title = useTitle()(item.title)
  const flyout = useFlyout(collapsed && depth === 0)
  return (
    <li {...flyout.events}>
      <Link
        to={path}
        className="sidebar-row"
        aria-current={path === here ? 'page' : undefined}
        data-depth={depth}
        aria-label={collapsed ? title : undefined}
      >
        <MenuIcon name={item.icon} />
        <span className="sidebar-title" title={collapsed ? undefined : title}>
          {title}
        </span>
      </Link>
      {flyout.top !== undefined && (
        <div className="sidebar-flyout" data-plain style={{ top: flyout.top }} aria-hidden>
          {title}
        </div>
      )}
    </li>
  )
}

const holds = (item: SidebarItem, path: string): boolean =>
  item.path === path || item.children.some((child) => holds(child, path))

function Group({ item, depth, collapsed, here }: ItemProps) {
  const title = useTitle()(item.title)
  const active = holds(item, here)
  const [opened, setOpened] = useState(active)
  const [seen, setSeen] = useState(here)
  const flyout = useFlyout(collapsed && depth === 0)
  // Arriving at a page inside opens its group; it can be closed again while the page stays.
  if (seen !== here) {
    setSeen(here)
    if (active) setOpened(true)
  }
  const floating = collapsed && depth === 0
  const expanded = floating ? flyout.top !== undefined : opened
  const rows = item.children.map((child) => (
    <Item key={child.key} item={child} depth={depth + 1} collapsed={false} here={here} />
  ))

  return (
    <li {...flyout.events}>
      <button
        type="button"
        className="sidebar-row"
        data-depth={depth}
        data-holds-active={active || undefined}
        aria-expanded={expanded}
        aria-label={floating ? title : undefined}
        onClick={(event) => (floating ? flyout.toggle(event.currentTarget) : setOpened(!opened))}
      >
        <MenuIcon name={item.icon} />
        <span className="sidebar-title" title={collapsed ? undefined : title}>
          {title}
        </span>
        <RightIcon className="sidebar-arrow" aria-hidden />
      </button>
      {!floating && opened && <ul className="sidebar-group">{rows}</ul>}
      {floating && flyout.top !== undefined && (
        <div className="sidebar-flyout" style={{ top: flyout.top, maxHeight: `calc(100vh - ${flyout.top + 8}px)` }}>
          <div className="sidebar-flyout-title">{title}</div>
          <ul>{rows}</ul>
        </div>
      )}
    </li>
  )
}

/** Opens a panel beside a collapsed entry while the pointer or the focus is in it. */
function useFlyout(enabled: boolean) {
  const [top, setTop] = useState<number>()
  const close = () => setTop(undefined)
  const { pathname } = useLocation()
  const [seen, setSeen] = useState(pathname)
  if (seen !== pathname) {
    setSeen(pathname)
    close()
  }
  // Expanding the sidebar under an open panel must not leave it behind.
  useEffect(() => {
    if (!enabled) setTop(undefined)
  }, [enabled])
  const openAt = (element: HTMLElement) =>
    setTop(Math.min(element.getBoundingClientRect().top, window.innerHeight - 220))
  if (!enabled) return { top: undefined, toggle: close, events: {} }
  return {
    top,
    toggle: (element: HTMLElement) => (top === undefined ? openAt(element) : close()),
    events: {
      onMouseEnter: (event: React.MouseEvent<HTMLElement>) => openAt(event.currentTarget),
      onMouseLeave: close,
      onFocus: (event: React.FocusEvent<HTMLElement>) => openAt(event.currentTarget),
      onBlur: (event: React.FocusEvent<HTMLElement>) => {
        if (!event.currentTarget.contains(event.relatedTarget)) close()
      },
      onKeyDown: (event: React.KeyboardEvent<HTMLElement>) => {
        if (event.key === 'Escape') close()
      },
    },
  }
}
