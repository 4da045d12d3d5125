import { createRoot } from 'react-dom/client'
import { currentTheme } from '@/access/theme'
import { connectNotices } from '@/api/notices'
import { notify } from '@/ui/notices'
import '@/ui/ui.css'

document.documentElement.dataset.theme = currentTheme()
connectNotices(notify)
const root = document.getElementById('root')
if (root) createRoot(root).render(<p>Skyrack</p>)
