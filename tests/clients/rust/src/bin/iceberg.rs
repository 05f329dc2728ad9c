//! iceberg-rust, step by step: see tests/clients/steps.py.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use clients::{Session, did};
use futures::TryStreamExt;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{DataFile, DataFileFormat, NestedField, PrimitiveType, Schema, Type};
use iceberg::table::Table;
use iceberg::transaction::{AddColumn, ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, ErrorKind, NamespaceIdent, Result, TableCreation, TableIdent};
use iceberg_catalog_rest::{REST_CATALOG_PROP_URI, RestCatalog, RestCatalogBuilder};
use parquet::file::properties::WriterProperties;

async fn connect(session: &Session, token: &str) -> Result<RestCatalog> {
    let given = if token.is_empty() { vec![] } else { vec![("token", token.to_string())] };
    opened(session, given).await
}

async fn opened(session: &Session, given: Vec<(&str, String)>) -> Result<RestCatalog> {
    let mut properties = HashMap::from([(REST_CATALOG_PROP_URI.to_string(), session.url.clone())]);
    properties.extend(given.into_iter().map(|(name, value)| (name.to_string(), value)));
    RestCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load("steps", properties)
        .await
}

fn columns() -> Schema {
    Schema::builder()
        .with_fields([
            NestedField::required(1, "id", Type::Primitive(PrimitiveType::Long)).into(),
            NestedField::optional(2, "name", Type::Primitive(PrimitiveType::String)).into(),
        ])
        .build()
        .expect("a schema")
}

fn creation(name: &str) -> TableCreation {
    TableCreation::builder().name(name.to_string()).schema(columns()).build()
}

/// Write a data file with three rows of a table.
async fn written(table: &Table, name: &str) -> Result<Vec<DataFile>> {
    let schema = table.metadata().current_schema().clone();
    let rows = RecordBatch::try_new(
        Arc::new(schema_to_arrow_schema(&schema)?),
        vec![
            Arc::new(Int64Array::from(vec![1, 2, 3])),
            Arc::new(StringArray::from(vec!["a", "b", "c"])),
        ],
    )
    .expect("rows of the schema");
    let files = RollingFileWriterBuilder::new_with_default_file_size(
        ParquetWriterBuilder::new(WriterProperties::default(), schema),
        table.file_io().clone(),
        DefaultLocationGenerator::new(table.metadata())?,
        DefaultFileNameGenerator::new(name.to_string(), None, DataFileFormat::Parquet),
    );
    let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
    writer.write(rows).await?;
    writer.close().await
}

async fn append(catalog: &dyn Catalog, table: &Table, files: Vec<DataFile>) -> Result<Table> {
    let change = Transaction::new(table);
    change.fast_append().add_data_files(files).apply(change)?.commit(catalog).await
}

async fn ids(table: &Table) -> Result<Vec<i64>> {
    let batches: Vec<RecordBatch> = table.scan().select(["id"]).build()?.to_arrow().await?.try_collect().await?;
    let mut found = Vec::new();
    for batch in &batches {
        let column = batch.column(0).as_any().downcast_ref::<Int64Array>().expect("a column of longs");
        found.extend((0..column.len()).map(|row| column.value(row)));
    }
    found.sort();
    Ok(found)
}

/// Work with a credential until its token has expired, and further with the next token, which the caller asks for.
async fn exchange(session: &Session) -> Result<()> {
    let endpoint = format!("{}/v1/oauth/tokens", session.url);
    let given = vec![("credential", session.credential.clone()), ("oauth2-server-uri", endpoint)];
    let catalog = opened(session, given).await?;
    assert!(catalog.list_namespaces(None).await?.is_empty());
    std::thread::sleep(Duration::from_millis(1100)); // longer than the token lives
    assert!(catalog.list_namespaces(None).await.is_err());
    catalog.regenerate_token().await?;
    assert!(catalog.list_namespaces(None).await?.is_empty());
    did("oauth");
    Ok(())
}

fn refused<T>(outcome: Result<T>, kind: ErrorKind) {
    match outcome {
        Ok(_) => panic!("not refused: {kind:?}"),
        Err(error) => assert_eq!(error.kind(), kind, "{error}"),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let session = Session::of_arguments();
    if !session.credential.is_empty() {
        return exchange(&session).await;
    }
    if !session.token.is_empty() {
        assert!(connect(&session, "wrong").await?.list_namespaces(None).await.is_err());
    }
    let catalog = connect(&session, &session.token).await?;
    let ns = NamespaceIdent::new("ns".to_string());
    let t = TableIdent::new(ns.clone(), "t".to_string());
    let owner = HashMap::from([("owner".to_string(), "me".to_string())]);

    catalog.create_namespace(&ns, owner.clone()).await?;
    assert_eq!(catalog.list_namespaces(None).await?, vec![ns.clone()]);
    assert_eq!(catalog.get_namespace(&ns).await?.properties(), &owner);
    refused(catalog.create_namespace(&ns, owner).await, ErrorKind::NamespaceAlreadyExists);
    did("namespaces");

    let table = catalog.create_table(&ns, creation("t")).await?;
    refused(catalog.create_table(&ns, creation("t")).await, ErrorKind::TableAlreadyExists);
    did("create");

    append(&catalog, &table, written(&table, "first").await?).await?;
    did("write");

    let table = catalog.load_table(&t).await?;
    assert_eq!(ids(&table).await?, [1, 2, 3]);
    did("read");

    assert_eq!(catalog.list_tables(&ns).await?, vec![t.clone()]);
    did("list");

    let (one, other) = (written(&table, "one").await?, written(&table, "other").await?);
    let (one, other) = tokio::join!(append(&catalog, &table, one), append(&catalog, &table, other));
    one?;
    other?;
    assert_eq!(ids(&catalog.load_table(&t).await?).await?.len(), 9);
    did("conflict");

    let change = Transaction::new(&table);
    let change = change
        .update_schema()
        .add_column(AddColumn::optional("more", Type::Primitive(PrimitiveType::Long)))
        .apply(change)?;
    let change = change.update_table_properties().set("owner".to_string(), "me".to_string()).apply(change)?;
    change.commit(&catalog).await?;
    let evolved = catalog.load_table(&t).await?;
    assert!(evolved.metadata().current_schema().field_by_name("more").is_some());
    assert_eq!(evolved.metadata().properties()["owner"], "me");
    did("evolve");

    let u = TableIdent::new(ns.clone(), "u".to_string());
    catalog.rename_table(&t, &u).await?;
    assert_eq!(catalog.list_tables(&ns).await?, vec![u.clone()]);
    did("rename");

    catalog.purge_table(&u).await?;
    refused(catalog.load_table(&u).await, ErrorKind::TableNotFound);
    catalog.drop_namespace(&ns).await?;
    assert!(!catalog.namespace_exists(&ns).await?);
    did("drop");

    for (kind, name) in &session.names {
        let unusual = NamespaceIdent::new(name.clone());
        let named = TableIdent::new(unusual.clone(), name.clone());
        catalog.create_namespace(&unusual, HashMap::new()).await?;
        catalog.create_table(&unusual, creation(name)).await?;
        assert_eq!(catalog.list_tables(&unusual).await?, vec![named.clone()]);
        assert!(catalog.table_exists(&named).await?);
        catalog.drop_table(&named).await?;
        catalog.drop_namespace(&unusual).await?;
        did(kind);
    }
    Ok(())
}
