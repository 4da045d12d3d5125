//! Rows and their enumerations, and the pure rules of which state may follow which.
//!
//! No queries and no HTTP: this crate is compiled once and rarely changes.

pub mod address_plan;
pub mod backup;
pub mod backup_package;
pub mod bmc;
pub mod bmc_range;
pub mod board_profile;
pub mod board_trial;
pub mod card;
pub mod card_busy;
pub mod card_event;
pub mod card_model;
pub mod card_state;
pub mod client_error;
pub mod client_user;
pub mod client_user_record;
pub mod connect;
pub mod finding;
pub mod forbidden_app;
pub mod frame;
pub mod group_menu;
pub mod host;
pub mod image_compat;
pub mod image_exclusion;
pub mod image_known;
pub mod import_file;
pub mod incoming_object;
pub mod integrity_check;
pub mod join_token;
pub mod logout_request;
pub mod loss;
pub mod menu;
pub mod open_app;
pub mod open_call;
pub mod open_key;
pub mod operation;
pub mod operation_file;
pub mod operation_log;
pub mod operation_log_about;
pub mod operation_task;
pub mod operator;
pub mod operator_notice;
pub mod operator_old_password;
pub mod operator_sign_in;
pub mod package_blob;
pub mod permission_group;
pub mod phone;
pub mod phone_order;
pub mod phone_order_item;
pub mod phone_session;
pub mod phone_use;
pub mod placement;
pub mod position_history;
pub mod recovery_code;
pub mod repo;
pub mod room;
pub mod room_agent;
pub mod room_line;
pub mod rule_change;
pub mod rule_value;
pub mod saga;
pub mod saga_step;
pub mod service_address;
pub mod session;
pub mod setting;
pub mod setting_history;
pub mod shell_chunk;
pub mod shell_end;
pub mod shell_record;
pub mod store_node;
pub mod store_node_agent;
pub mod store_usage;
pub mod upload;
pub mod webhook;
pub mod webhook_delivery;
pub mod withheld_app;

kernel::id_type! {
    /// An operator of this console.
    OperatorId;
    /// A permission group.
    GroupId;
    /// An entry of the menu tree.
    MenuId;
    /// A signed-in session.
    SessionId;
    /// A customer.
    ClientUserId;
    /// A customer's request to close an account.
    LogoutRequestId;
    /// A data-centre site.
    RoomId;
    /// A rack or chassis.
    FrameId;
    /// A blade.
    HostId;
    /// An Android card.
    CardId;
    /// An action on a selection of cards.
    OperationId;
    /// A file that operations install or push.
    OperationFileId;
    /// The part of an operation that concerns one card.
    OperationTaskId;
    /// A card model.
    CardModelId;
    /// A range of addresses.
    AddressPlanId;
    /// A management controller.
    BmcId;
    /// A room agent: our program in a room.
    RoomAgentId;
    /// A token with which an agent joins.
    JoinTokenId;
    /// A difference between the records and a room.
    FindingId;
    /// A recorded shell session on a card.
    ShellId;
    /// A cloud phone.
    PhoneId;
    /// A phone's stay on a card.
    PlacementId;
    /// A storage node.
    StoreNodeId;
    /// The repository of a phone's copies on a storage node.
    RepoId;
    /// A copy of a phone.
    BackupId;
    /// A file of an app's package on a storage node.
    PackageBlobId;
    /// A line of an order.
    OrderLineId;
    /// An image that cards run.
    ImageId;
    /// What a clean card of an image looks like.
    BoardProfileId;
    /// A question that was tried on a card of an image.
    BoardTrialId;
    /// A path that copies may leave out on an image.
    ImageExclusionId;
    /// An image that takes phones of another one.
    ImagePairId;
    /// An app that phones may not have.
    ForbiddenAppId;
    /// Something that is done to a phone, step by step.
    SagaId;
    /// A try of a step of that.
    SagaStepId;
    /// An application that calls the Open API.
    OpenAppId;
    /// A key with which it signs.
    OpenKeyId;
    /// Somebody connects to a phone.
    ConnectId;
    /// A phone's stay on a card, and who used it.
    PhoneSessionId;
    /// Where a gateway or a service answers.
    ServiceAddressId;
    /// An event on its way to an application of the Open API.
    DeliveryId;
}
