// Command retrying appends a file to each table that a line of the input names, and prints how that ended.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
)

func main() {
	ctx := context.Background()
	tokens, err := url.Parse(os.Args[1] + "/v1/oauth/tokens")
	if err != nil {
		panic(err)
	}
	opened, err := rest.NewCatalog(ctx, "mock", os.Args[1], rest.WithCredential("root:s3cret"), rest.WithAuthURI(tokens))
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for number := 0; lines.Scan(); number++ {
		fmt.Println("outcome", outcome(appendFile(ctx, opened, lines.Text(), number)))
	}
}

func appendFile(ctx context.Context, opened catalog.Catalog, name string, number int) error {
	table, err := opened.LoadTable(ctx, catalog.ToIdentifier("a", name))
	if err != nil {
		return err
	}
	path := fmt.Sprintf("%s/data/%d.parquet", table.Location(), number)
	builder, err := iceberg.NewDataFileBuilder(
		table.Spec(), iceberg.EntryContentData, path, iceberg.ParquetFile, nil, nil, nil, 1, 10)
	if err != nil {
		return err
	}
	change := table.NewTransaction()
	if err := change.AddDataFiles(ctx, []iceberg.DataFile{builder.Build()}, nil); err != nil {
		return err
	}
	_, err = change.Commit(ctx)
	return err
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "success"
	case errors.Is(err, rest.ErrCommitStateUnknown):
		return "CommitStateUnknownException"
	case errors.Is(err, rest.ErrCommitFailed):
		return "CommitFailedException"
	}
	fmt.Fprintln(os.Stderr, err)
	return "error"
}
