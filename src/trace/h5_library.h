/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The HDF5 library, loaded at run time: linking it would add 7 ms to every start of the command. */

#include <footfall/status.h>
#include <hdf5.h>
#include <stdbool.h>

/* the macros of HDF5, such as H5F_ACC_TRUNC, use these two */
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

/* clang-format off */
#define FF_H5_FUNCTIONS(X) \
    X(H5dont_atexit) X(H5open) X(H5get_libversion) X(H5Eset_auto2) X(H5Zfilter_avail) \
    X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Fflush) X(H5Fget_filesize) X(H5Fis_hdf5) \
    X(H5Pcreate) X(H5Pclose) X(H5Pset_libver_bounds) X(H5Pset_istore_k) X(H5Pset_chunk) \
    X(H5Pset_chunk_cache) X(H5Pset_shuffle) X(H5Pset_deflate) X(H5Pset_fill_value) \
    X(H5Pset_obj_track_times) X(H5Pset_create_intermediate_group) X(H5Pset_fclose_degree) \
    X(H5Pget_mdc_config) X(H5Pset_mdc_config) \
    X(H5Gcreate2) X(H5Gopen2) X(H5Gclose) X(H5Gget_info) X(H5Lget_name_by_idx) X(H5Lexists) \
    X(H5Oopen) X(H5Oclose) X(H5Iget_type) \
    X(H5Dcreate2) X(H5Dopen2) X(H5Dclose) X(H5Dset_extent) X(H5Dwrite) X(H5Dwrite_chunk) X(H5Dread) \
    X(H5Dget_space) X(H5Dget_type) \
    X(H5Screate) X(H5Screate_simple) X(H5Sclose) X(H5Sselect_hyperslab) \
    X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims) \
    X(H5Acreate2) X(H5Aopen) X(H5Aexists) X(H5Awrite) X(H5Aread) X(H5Aclose) X(H5Aget_type) \
    X(H5Aget_space) X(H5Sget_simple_extent_npoints) \
    X(H5Tcopy) X(H5Tclose) X(H5Tset_size) X(H5Tget_size) X(H5Tset_strpad) X(H5Tset_cset) \
    X(H5Tget_class) X(H5Tis_variable_str) X(H5Tvlen_create) X(H5Rcreate)

/* globals behind the macros H5T_NATIVE_DOUBLE, H5P_FILE_CREATE, .. */
#define FF_H5_IDS(X) \
    X(H5T_NATIVE_DOUBLE) X(H5T_NATIVE_LLONG) X(H5T_C_S1) X(H5T_STD_REF_OBJ) \
    X(H5P_CLS_FILE_CREATE_ID) X(H5P_CLS_FILE_ACCESS_ID) X(H5P_CLS_DATASET_CREATE_ID) \
    X(H5P_CLS_DATASET_ACCESS_ID) X(H5P_CLS_LINK_CREATE_ID)
/* clang-format on */

typedef struct ff_h5_library {
#define FF_H5_FUNCTION(name) __typeof__(name) *name;
    FF_H5_FUNCTIONS(FF_H5_FUNCTION)
#undef FF_H5_FUNCTION
    /* since 1.10.7; NULL before */
    herr_t (*H5Pset_file_locking)(hid_t access, hbool_t use, hbool_t ignore_when_disabled);
    struct {
        hid_t H5T_NATIVE_DOUBLE_g, H5T_NATIVE_LLONG_g, H5T_C_S1_g, H5T_STD_REF_OBJ_g,
            H5P_CLS_FILE_CREATE_ID_g, H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_DATASET_CREATE_ID_g,
            H5P_CLS_DATASET_ACCESS_ID_g, H5P_CLS_LINK_CREATE_ID_g;
    } id;
} ff_h5_library;

/* The library; NULL with the reason if it is not available. */
const ff_h5_library *ff_h5_load(ff_error *error);

/* Access properties for opening files; the caller closes them. */
hid_t ff_h5_access(const ff_h5_library *h5);
