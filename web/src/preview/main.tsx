import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { updateSession } from '@/access/session'
import { useTheme } from '@/access/theme'
import { connectNotices } from '@/api/notices'
import { queryClient } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { notify } from '@/ui/notices'
import { UiProvider } from '@/ui/provider'
import { Gallery } from './gallery'

// The gallery stands outside the console: no server, no sign-in. Everything is allowed, so that everything is seen.
updateSession({ uid: 'preview', roles: ['admin'] })
connectNotices(notify)

function Preview() {
  const language = useLanguage()
  const theme = useTheme()
  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider language={language} dark={theme === 'dark'}>
        <Gallery />
      </UiProvider>
    </QueryClientProvider>
  )
}

const router = createBrowserRouter([{ path: '*', element: <Preview /> }])
const root = document.getElementById('root')
if (!root) throw new Error('preview.html has no #root')
createRoot(root).render(<RouterProvider router={router} />)
