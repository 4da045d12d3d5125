import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { updateSession } from '@/access/session'
import { setTheme, useTheme } from '@/access/theme'
import { connectNotices } from '@/api/notices'
import { queryClient } from '@/api/query'
import { setLanguage, useLanguage } from '@/i18n/language'
import { Button } from '@/ui/button'
import { notify } from '@/ui/notices'
import { UiProvider } from '@/ui/provider'
import { Gallery } from './gallery'
import './preview.css'

// The gallery stands outside the console: no server, no sign-in. Everything is allowed, so that everything is seen.
updateSession({ uid: 'preview', roles: ['admin'] })
connectNotices(notify)

function Preview() {
  const language = useLanguage()
  const theme = useTheme()
  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider language={language} dark={theme === 'dark'}>
        <header className="preview-bar">
          <Button onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}>中文 / English</Button>
          <Button onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}>☀ / ☾</Button>
        </header>
        <Gallery />
      </UiProvider>
    </QueryClientProvider>
  )
}

const router = createBrowserRouter([{ path: '*', element: <Preview /> }])
const root = document.getElementById('root')
if (!root) throw new Error('preview.html has no #root')
createRoot(root).render(<RouterProvider router={router} />)
