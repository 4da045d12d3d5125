import {
  CheckCircleOutlined,
  ClockCircleOutlined,
  ExclamationCircleOutlined,
  InfoCircleOutlined,
  MinusCircleOutlined,
  StopOutlined,
} from '@ant-design/icons'
import type { Tone } from './tone'

export {
  ArrowDownOutlined as ArrowDownIcon,
  ArrowUpOutlined as ArrowUpIcon,
  CloseOutlined as CloseIcon,
  CopyOutlined as CopyIcon,
  DownloadOutlined as DownloadIcon,
  DownOutlined as DownIcon,
  HistoryOutlined as HistoryIcon,
  MoreOutlined as MoreIcon,
  PlusOutlined as PlusIcon,
  ReloadOutlined as ReloadIcon,
  SearchOutlined as SearchIcon,
  SettingOutlined as SettingIcon,
  UploadOutlined as UploadIcon,
} from '@ant-design/icons'

/** One shape a tone, so that a state can be told without its colour. */
export const toneIcon = {
  good: CheckCircleOutlined,
  info: InfoCircleOutlined,
  busy: ClockCircleOutlined,
  warn: ExclamationCircleOutlined,
  bad: StopOutlined,
  muted: MinusCircleOutlined,
} satisfies Record<Tone, unknown>
