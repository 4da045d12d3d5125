import type { ComponentType } from 'react'
import { FileFields, PlainFields, ReferenceFields } from './fields'
import { Cells, Charts, Filters, Lists, Remarks } from './lists'
import type { messages } from './messages'
import { Imports, Pages, Preflights, Settings, Tasks } from './pages'
import { Acts, Loads, Orders, Shells } from './shells'
import { Uploads } from './uploads'
import { Parts, Views } from './views'

/** Everything that the kit has, by its title. A new shell or field gets its place here. */
export const exhibits: Record<keyof typeof messages.tree.parts, ComponentType> = {
  cells: Cells,
  fields: PlainFields,
  references: ReferenceFields,
  files: FileFields,
  uploads: Uploads,
  filters: Filters,
  views: Views,
  tabs: Parts,
  lists: Lists,
  pages: Pages,
  shells: Shells,
  order: Orders,
  acts: Acts,
  remarks: Remarks,
  loads: Loads,
  tasks: Tasks,
  imports: Imports,
  preflights: Preflights,
  settings: Settings,
  charts: Charts,
}

export const exhibitKeys = Object.keys(exhibits) as (keyof typeof exhibits)[]
