import type { DataOf } from '@/api/call'

export type Dashboard = DataOf<'dashboard'>
