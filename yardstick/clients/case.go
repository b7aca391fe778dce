// The smallest case in which a port differs from refrank: `go run $name.go` ends with 0 once it agrees.
// $parameters
package main

import (
	"fmt"
	"math"
	"os"
)

const nSamples, nFeatures = $n_samples, $n_features

// (nSamples, nFeatures) in C order, and (nSamples); nil: there are no weights
var X []float64 = $X
var y, qid []int64 = $y, $qid
var weight []float64 = $weight

// $shape in C order
var expected []$type = $expected
var _ = math.Pi

// compute calls your port, and returns $field of stage $stage$at.
func compute() []$type {
	return nil
}

func main() {
	if found := compute(); fmt.Sprintf("%x", found) != fmt.Sprintf("%x", expected) { // to the bit
		fmt.Println("$field of stage $stage is", found, "in place of", expected)
		os.Exit(1)
	}
}
