// Package icebergclient runs iceberg-go's own catalog tests against a server.
package icebergclient

import (
	"context"
	"os"
	"testing"

	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/catalogtest"
	"github.com/apache/iceberg-go/catalog/rest"
)

// TestCatalog runs the tests against the server at LAKEPROOF_ICEBERG_URL.
func TestCatalog(t *testing.T) {
	url := os.Getenv("LAKEPROOF_ICEBERG_URL")
	if url == "" {
		t.Fatal("LAKEPROOF_ICEBERG_URL names no server")
	}
	catalogtest.RunCatalogTests(t, catalogtest.Config{
		SupportsNamespaceProperties: true,
		NewCatalog: func(t *testing.T) catalog.Catalog {
			opened, err := rest.NewCatalog(context.Background(), "reference", url)
			if err != nil {
				t.Fatal(err)
			}
			return opened
		},
	})
}
