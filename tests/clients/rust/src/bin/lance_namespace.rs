//! The client that lance-namespace generates for Rust, step by step: see tests/clients/steps.py.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::StreamWriter;
use clients::{Session, did};
use lance_namespace_reqwest_client::apis::configuration::Configuration;
use lance_namespace_reqwest_client::apis::{Error, data_api, namespace_api, table_api, tag_api};
use lance_namespace_reqwest_client::models;

fn connect(session: &Session, token: &str) -> Configuration {
    let bearer = (!token.is_empty()).then(|| token.to_string());
    Configuration { base_path: session.url.clone(), bearer_access_token: bearer, ..Configuration::default() }
}

/// Rows as the body of a request.
fn rows(ids: Vec<i64>) -> Vec<u8> {
    let names = StringArray::from(vec!["a"; ids.len()]);
    let columns: [(&str, ArrayRef); 2] = [("id", Arc::new(Int64Array::from(ids))), ("name", Arc::new(names))];
    let batch = RecordBatch::try_from_iter(columns).expect("two columns");
    let mut body = Vec::new();
    let mut writer = StreamWriter::try_new(&mut body, &batch.schema()).expect("a stream");
    writer.write(&batch).and_then(|_| writer.finish()).expect("rows of its schema");
    body
}

fn refused<T, E>(outcome: Result<T, Error<E>>, status: u16) {
    match outcome {
        Err(Error::ResponseError(answer)) => assert_eq!(answer.status.as_u16(), status, "{}", answer.content),
        Err(error) => panic!("no answer: {error}"),
        Ok(_) => panic!("not refused with {status}"),
    }
}

async fn count(api: &Configuration, id: &str) -> Result<i64, Box<dyn StdError>> {
    Ok(table_api::count_table_rows(api, id, models::CountTableRowsRequest::new(), None).await?)
}

async fn tables(api: &Configuration, id: &str) -> Result<Vec<String>, Box<dyn StdError>> {
    Ok(namespace_api::list_tables(api, id, None, None, None, None).await?.tables)
}

async fn namespaces(api: &Configuration) -> Result<Vec<String>, Box<dyn StdError>> {
    Ok(namespace_api::list_namespaces(api, "$", None, None, None).await?.namespaces)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let session = Session::of_arguments();
    if !session.token.is_empty() {
        let wrong = connect(&session, "wrong");
        refused(namespace_api::list_namespaces(&wrong, "$", None, None, None).await, 401);
    }
    let api = &connect(&session, &session.token);

    let mut creation = models::CreateNamespaceRequest::new();
    creation.properties = Some(HashMap::from([("owner".to_string(), "me".to_string())]));
    namespace_api::create_namespace(api, "ns", creation.clone(), None).await?;
    refused(namespace_api::create_namespace(api, "ns", creation, None).await, 409);
    let described =
        namespace_api::describe_namespace(api, "ns", models::DescribeNamespaceRequest::new(), None).await?;
    assert_eq!(described.properties.expect("properties")["owner"], "me");
    assert_eq!(namespaces(api).await?, ["ns"]);
    did("namespaces");

    data_api::create_table(api, "ns$t", rows(vec![1, 2]), None, None, None, None).await?;
    refused(data_api::create_table(api, "ns$t", rows(vec![1]), None, None, None, None).await, 409);
    did("create");

    data_api::insert_into_table(api, "ns$t", rows(vec![3]), None, None, None).await?;
    did("write");

    let told = table_api::describe_table(api, "ns$t", models::DescribeTableRequest::new(), None, None, None, None);
    assert!(told.await?.location.is_some());
    assert_eq!(count(api, "ns$t").await?, 3);
    let mut query = models::QueryTableRequest::new(10, models::QueryTableRequestVector::new());
    query.filter = Some("id > 2".to_string());
    let found = data_api::query_table(api, "ns$t", query, None).await?.bytes().await?;
    let batches = FileReader::try_new(Cursor::new(found), None)?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
    did("read");

    assert_eq!(tables(api, "ns").await?, ["t"]);
    did("list");

    let mut double = models::AddColumnsEntry::new("double".to_string());
    double.expression = Some(Some("id * 2".to_string()));
    let columns = models::AlterTableAddColumnsRequest::new(vec![double]);
    table_api::alter_table_add_columns(api, "ns$t", columns, None).await?;
    did("evolve");

    let tag = models::CreateTableTagRequest::new("start".to_string(), 1);
    tag_api::create_table_tag(api, "ns$t", tag, None).await?;
    let tag = models::GetTableTagVersionRequest::new("start".to_string());
    assert_eq!(tag_api::get_table_tag_version(api, "ns$t", tag, None).await?.version, 1);
    did("branches");

    data_api::create_table(api, "ns$c", rows(vec![1]), None, None, None, None).await?;
    let (one, other) = tokio::join!(
        data_api::insert_into_table(api, "ns$c", rows(vec![2]), None, None, None),
        data_api::insert_into_table(api, "ns$c", rows(vec![3]), None, None, None),
    );
    one?;
    other?;
    assert_eq!(count(api, "ns$c").await?, 3);
    table_api::drop_table(api, "ns$c", None).await?;
    did("conflict");

    table_api::rename_table(api, "ns$t", models::RenameTableRequest::new("u".to_string()), None).await?;
    assert_eq!(tables(api, "ns").await?, ["u"]);
    did("rename");

    table_api::drop_table(api, "ns$u", None).await?;
    refused(table_api::table_exists(api, "ns$u", models::TableExistsRequest::new(), None).await, 404);
    namespace_api::drop_namespace(api, "ns", models::DropNamespaceRequest::new(), None).await?;
    assert!(namespaces(api).await?.is_empty());
    did("drop");

    for (kind, name) in &session.names {
        let id = format!("{name}${name}");
        namespace_api::create_namespace(api, name, models::CreateNamespaceRequest::new(), None).await?;
        assert_eq!(namespaces(api).await?, [name.clone()]);
        data_api::create_table(api, &id, rows(vec![1]), None, None, None, None).await?;
        assert_eq!(tables(api, name).await?, [name.clone()]);
        table_api::drop_table(api, &id, None).await?;
        namespace_api::drop_namespace(api, name, models::DropNamespaceRequest::new(), None).await?;
        did(kind);
    }
    Ok(())
}
