import { useState } from 'react'
import { useNavigate } from 'react-router'
import { openPasswordChange } from '@/access/password-change'
import { useSession } from '@/access/session'
import { setSidebarOpen, useSidebarOpen } from '@/access/sidebar-state'
import { setTheme, useTheme } from '@/access/theme'
import { setLanguage, useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { SearchIcon } from '@/ui/icons'
import { FoldIcon, LogOutIcon, MoonIcon, PasswordIcon, SunIcon, UnfoldIcon, UserIcon } from '@/ui/shell-icons'
import { messages } from '../messages'
import { Breadcrumbs } from './breadcrumbs'
import { IconButton } from './icon-button'
import { LogOutDialog } from './log-out-dialog'
import { NoticeBell } from './notice-bell'

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const m = useMessages(messages)
  const open = useSidebarOpen()
  const language = useLanguage()
  const theme = useTheme()
  const navigate = useNavigate()
  const username = useSession((session) => session.username || session.name)
  const [leaving, setLeaving] = useState(false)

  return (
    <header className="top-bar">
      <IconButton label={open ? m.closeSidebar : m.openSidebar} side="start" onClick={() => setSidebarOpen(!open)}>
        {open ? <FoldIcon aria-hidden /> : <UnfoldIcon aria-hidden />}
      </IconButton>
      <Breadcrumbs />
      <button type="button" className="top-search" onClick={onSearch} aria-keyshortcuts="Control+K">
        <SearchIcon aria-hidden />
        <span>{m.search}</span>
        <kbd aria-hidden>Ctrl K</kbd>
      </button>
      <IconButton label={m.switchLanguage} onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}>
        <span className="top-language" aria-hidden>
          {m.languageShort}
        </span>
      </IconButton>
      <IconButton
        label={theme === 'dark' ? m.light : m.dark}
        onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
      >
        {theme === 'dark' ? <SunIcon aria-hidden /> : <MoonIcon aria-hidden />}
      </IconButton>
      <NoticeBell />
      <IconButton label={m.changePassword} onClick={openPasswordChange}>
        <PasswordIcon aria-hidden />
      </IconButton>
      <IconButton label={m.user(username)} tip={username} onClick={() => void navigate('/')}>
        <UserIcon aria-hidden />
      </IconButton>
      <IconButton label={m.logOut} onClick={() => setLeaving(true)}>
        <LogOutIcon aria-hidden />
      </IconButton>
      {leaving && <LogOutDialog onClose={() => setLeaving(false)} />}
    </header>
  )
}
