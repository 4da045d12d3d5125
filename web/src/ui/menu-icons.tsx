import AccountBookOutlined from '@ant-design/icons/es/icons/AccountBookOutlined'
import AlertOutlined from '@ant-design/icons/es/icons/AlertOutlined'
import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import ApiOutlined from '@ant-design/icons/es/icons/ApiOutlined'
import AppstoreOutlined from '@ant-design/icons/es/icons/AppstoreOutlined'
import AuditOutlined from '@ant-design/icons/es/icons/AuditOutlined'
import BankOutlined from '@ant-design/icons/es/icons/BankOutlined'
import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import BugOutlined from '@ant-design/icons/es/icons/BugOutlined'
import CalendarOutlined from '@ant-design/icons/es/icons/CalendarOutlined'
import CloudOutlined from '@ant-design/icons/es/icons/CloudOutlined'
import CloudServerOutlined from '@ant-design/icons/es/icons/CloudServerOutlined'
import CloudUploadOutlined from '@ant-design/icons/es/icons/CloudUploadOutlined'
import ClusterOutlined from '@ant-design/icons/es/icons/ClusterOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import CustomerServiceOutlined from '@ant-design/icons/es/icons/CustomerServiceOutlined'
import DashboardOutlined from '@ant-design/icons/es/icons/DashboardOutlined'
import DatabaseOutlined from '@ant-design/icons/es/icons/DatabaseOutlined'
import DeploymentUnitOutlined from '@ant-design/icons/es/icons/DeploymentUnitOutlined'
import DesktopOutlined from '@ant-design/icons/es/icons/DesktopOutlined'
import EnvironmentOutlined from '@ant-design/icons/es/icons/EnvironmentOutlined'
import ExperimentOutlined from '@ant-design/icons/es/icons/ExperimentOutlined'
import FileTextOutlined from '@ant-design/icons/es/icons/FileTextOutlined'
import GiftOutlined from '@ant-design/icons/es/icons/GiftOutlined'
import GlobalOutlined from '@ant-design/icons/es/icons/GlobalOutlined'
import HddOutlined from '@ant-design/icons/es/icons/HddOutlined'
import HistoryOutlined from '@ant-design/icons/es/icons/HistoryOutlined'
import InfoCircleOutlined from '@ant-design/icons/es/icons/InfoCircleOutlined'
import KeyOutlined from '@ant-design/icons/es/icons/KeyOutlined'
import LineChartOutlined from '@ant-design/icons/es/icons/LineChartOutlined'
import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import MenuOutlined from '@ant-design/icons/es/icons/MenuOutlined'
import MobileOutlined from '@ant-design/icons/es/icons/MobileOutlined'
import NotificationOutlined from '@ant-design/icons/es/icons/NotificationOutlined'
import OrderedListOutlined from '@ant-design/icons/es/icons/OrderedListOutlined'
import PictureOutlined from '@ant-design/icons/es/icons/PictureOutlined'
import PlayCircleOutlined from '@ant-design/icons/es/icons/PlayCircleOutlined'
import PoweroffOutlined from '@ant-design/icons/es/icons/PoweroffOutlined'
import ProfileOutlined from '@ant-design/icons/es/icons/ProfileOutlined'
import RightSquareOutlined from '@ant-design/icons/es/icons/RightSquareOutlined'
import RocketOutlined from '@ant-design/icons/es/icons/RocketOutlined'
import SafetyOutlined from '@ant-design/icons/es/icons/SafetyOutlined'
import ScheduleOutlined from '@ant-design/icons/es/icons/ScheduleOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import ShopOutlined from '@ant-design/icons/es/icons/ShopOutlined'
import SlidersOutlined from '@ant-design/icons/es/icons/SlidersOutlined'
import SoundOutlined from '@ant-design/icons/es/icons/SoundOutlined'
import StarOutlined from '@ant-design/icons/es/icons/StarOutlined'
import SwapOutlined from '@ant-design/icons/es/icons/SwapOutlined'
import TagOutlined from '@ant-design/icons/es/icons/TagOutlined'
import TeamOutlined from '@ant-design/icons/es/icons/TeamOutlined'
import ToolOutlined from '@ant-design/icons/es/icons/ToolOutlined'
import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import UserAddOutlined from '@ant-design/icons/es/icons/UserAddOutlined'
import UserDeleteOutlined from '@ant-design/icons/es/icons/UserDeleteOutlined'
import UsergroupAddOutlined from '@ant-design/icons/es/icons/UsergroupAddOutlined'
import UserOutlined from '@ant-design/icons/es/icons/UserOutlined'
import WalletOutlined from '@ant-design/icons/es/icons/WalletOutlined'
import type { ComponentType } from 'react'

/** The icons that a menu entry may name. A name outside this list gets a neutral one. */
const byName: Readonly<Record<string, ComponentType>> = {
  radar: DeploymentUnitOutlined,
  power: PoweroffOutlined,
  network: GlobalOutlined,
  chart: LineChartOutlined,
  map: EnvironmentOutlined,
  room: HddOutlined,
  panel: AppstoreOutlined,
  device: ClusterOutlined,
  'account-book': AccountBookOutlined,
  alert: AlertOutlined,
  apartment: ApartmentOutlined,
  api: ApiOutlined,
  appstore: AppstoreOutlined,
  audit: AuditOutlined,
  bank: BankOutlined,
  bell: BellOutlined,
  bug: BugOutlined,
  calendar: CalendarOutlined,
  backup: CloudUploadOutlined,
  cloud: CloudOutlined,
  'cloud-server': CloudServerOutlined,
  code: CodeOutlined,
  'customer-service': CustomerServiceOutlined,
  dashboard: DashboardOutlined,
  database: DatabaseOutlined,
  'deployment-unit': DeploymentUnitOutlined,
  desktop: DesktopOutlined,
  experiment: ExperimentOutlined,
  'file-text': FileTextOutlined,
  gift: GiftOutlined,
  global: GlobalOutlined,
  hdd: HddOutlined,
  info: InfoCircleOutlined,
  group: UsergroupAddOutlined,
  history: HistoryOutlined,
  key: KeyOutlined,
  'line-chart': LineChartOutlined,
  lock: LockOutlined,
  menu: MenuOutlined,
  mobile: MobileOutlined,
  phone: MobileOutlined,
  notification: NotificationOutlined,
  picture: PictureOutlined,
  'play-circle': PlayCircleOutlined,
  profile: ProfileOutlined,
  rocket: RocketOutlined,
  safety: SafetyOutlined,
  setting: SettingOutlined,
  shop: ShopOutlined,
  sliders: SlidersOutlined,
  sound: SoundOutlined,
  star: StarOutlined,
  storage: DatabaseOutlined,
  swap: SwapOutlined,
  tag: TagOutlined,
  schedule: ScheduleOutlined,
  task: OrderedListOutlined,
  team: TeamOutlined,
  tool: ToolOutlined,
  upload: UploadOutlined,
  user: UserOutlined,
  'user-add': UserAddOutlined,
  'user-delete': UserDeleteOutlined,
  userOff: UserDeleteOutlined,
  wallet: WalletOutlined,
}

/** The names that menu management offers. */
export const menuIconNames = Object.keys(byName)

/** The icon of a menu entry. */
export function MenuIcon({ name }: { name: string }) {
  const Icon = byName[name] ?? RightSquareOutlined
  return (
    <span className="menu-icon" aria-hidden>
      <Icon />
    </span>
  )
}
